//! Reader and writer for XMLBIF 0.3, the XML form of BIF that WEKA and others use.
//!
//! Almost every text is a valid name; the others are restored from properties. In a table the child varies fastest, then the last
//! parent.

use super::draft::Draft;
use super::names::{Names, NamingRules};
use super::xml::{self, child, children, content, escape, line};
use super::{FormatError, Written, numbers};
use crate::estimate::{Network, Relative};

/// Writes a network as XMLBIF.
pub(super) fn write(network: &Network, relative: Relative) -> Written {
    let names = Names::new(network.schema(), &NamingRules::XML);
    let mut lines = vec![xml::DECLARATION.to_owned()];
    lines.push("<BIF VERSION=\"0.3\">\n<NETWORK>\n<NAME>unknown</NAME>".to_owned());
    for node in network.schema().ids() {
        lines.push("<VARIABLE TYPE=\"nature\">".to_owned());
        lines.push(format!("  <NAME>{}</NAME>", escape(names.variable(node))));
        let states = names.states(node).iter();
        lines.extend(states.map(|state| format!("  <OUTCOME>{}</OUTCOME>", escape(state))));
        let fields = names.fields(node).into_iter();
        lines.extend(fields.map(|(field, value)| format!("  <PROPERTY>{field} = {value}</PROPERTY>")));
        lines.push("</VARIABLE>".to_owned());
    }
    for node in network.schema().ids() {
        lines.push("<DEFINITION>".to_owned());
        lines.push(format!("  <FOR>{}</FOR>", escape(names.variable(node))));
        let parents = names.variables(network.dag().parents(node)).into_iter();
        lines.extend(parents.map(|parent| format!("  <GIVEN>{}</GIVEN>", escape(parent))));
        let rows = network.table_of(node, relative).rows();
        let rows: Vec<String> = rows.map(|row| numbers(row, " ")).collect();
        lines.push(format!("  <TABLE>{}</TABLE>", rows.join("\n    ")));
        lines.push("</DEFINITION>".to_owned());
    }
    lines.push("</NETWORK>\n</BIF>\n".to_owned());
    Written { text: lines.join("\n"), renamed: names.renamed }
}

/// Reads a network.
pub(super) fn read(text: &str, data_set: &str) -> Result<Network, FormatError> {
    let document = xml::parse(text)?;
    let network = child(document.root_element(), "NETWORK")?;
    let mut draft = Draft::default();
    for variable in children(network, "VARIABLE") {
        let line = line(variable);
        let name = content(child(variable, "NAME")?);
        if let Some(kind) = variable.attribute("TYPE").filter(|kind| !kind.eq_ignore_ascii_case("nature")) {
            let what = format!("variable `{name}` of type `{kind}`");
            return Err(FormatError::Unsupported { line, what, instead: "take it out of the network first" });
        }
        // Version 0.2 uses the tag VALUE.
        let states = children(variable, "OUTCOME").chain(children(variable, "VALUE")).map(content).collect();
        let place = draft.declare(line, name, states)?;
        for property in children(variable, "PROPERTY") {
            if let Some((field, value)) = content(property).split_once('=') {
                draft.restore(place, xml::line(property), field.trim(), value.trim())?;
            }
        }
    }
    for definition in children(network, "DEFINITION").chain(children(network, "PROBABILITY")) {
        let line = line(definition);
        let variable = draft.find(line, &content(child(definition, "FOR")?))?;
        let parents =
            children(definition, "GIVEN").map(|given| draft.find(xml::line(given), &content(given)));
        let parents = parents.collect::<Result<Vec<usize>, FormatError>>()?;
        let table = child(definition, "TABLE")?;
        draft.set_table(xml::line(table), variable, parents, xml::numbers(table)?)?;
    }
    draft.finish(data_set)
}

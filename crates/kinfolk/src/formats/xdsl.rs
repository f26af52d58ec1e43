//! Reader and writer for XDSL (GeNIe and SMILE): nodes with states, parents and probabilities, and a display extension.
//!
//! GeNIe requires parents before their children, so nodes are written in topological order. If that differs from the column
//! order, each node stores its column in a user property. Original names are stored in the same way. The child's states vary
//! fastest, the first parent slowest.

use super::draft::Draft;
use super::names::{Names, NamingRules, is_xml_text};
use super::xml::{self, attribute, child, children, content, escape, line, only_child};
use super::{FormatError, Written, numbers};
use crate::estimate::{Network, Relative};

/// The user property that stores a node's column index.
const COLUMN_FIELD: &str = "kinfolk_column";

/// Writes a network as XDSL.
pub(super) fn write(network: &Network, relative: Relative) -> Written {
    let schema = network.schema();
    let names = Names::new(schema, &NamingRules::STRICT);
    let order = network.dag().topological_order();
    let mut lines = vec![xml::DECLARATION.to_owned()];
    lines
        .push("<smile version=\"1.0\" id=\"kinfolk\" numsamples=\"10000\" discsamples=\"10000\">".to_owned());
    lines.push("  <nodes>".to_owned());
    for &node in &order {
        lines.push(format!("    <cpt id=\"{}\">", names.variable(node)));
        lines.extend(names.states(node).iter().map(|state| format!("      <state id=\"{state}\" />")));
        let parents = network.dag().parents(node);
        if !parents.is_empty() {
            lines.push(format!("      <parents>{}</parents>", names.variables(parents).join(" ")));
        }
        let values = numbers(network.table_of(node, relative).values(), " ");
        lines.push(format!("      <probabilities>{values}</probabilities>"));
        let mut fields = names.fields(node);
        if !order.is_sorted() {
            fields.push((COLUMN_FIELD, node.index().to_string()));
        }
        let fields = fields.into_iter();
        lines.extend(
            fields.map(|(field, value)| format!("      <property id=\"{field}\">{value}</property>")),
        );
        lines.push("    </cpt>".to_owned());
    }
    lines.push("  </nodes>\n  <extensions>".to_owned());
    lines.push("    <genie version=\"1.0\" app=\"kinfolk\" name=\"kinfolk\">".to_owned());
    for &node in &order {
        let original = Some(schema.variable(node).name.as_str()).filter(|name| is_xml_text(name));
        let shown = escape(original.unwrap_or(names.variable(node)));
        lines.push(format!("      <node id=\"{}\"><name>{shown}</name></node>", names.variable(node)));
    }
    lines.push("    </genie>\n  </extensions>\n</smile>\n".to_owned());
    Written { text: lines.join("\n"), renamed: names.renamed }
}

/// Reads a network.
pub(super) fn read(text: &str, data_set: &str) -> Result<Network, FormatError> {
    let document = xml::parse(text)?;
    let nodes = child(document.root_element(), "nodes")?;
    let mut draft = Draft::default();
    for node in nodes.children().filter(roxmltree::Node::is_element) {
        let line = line(node);
        let id = attribute(node, "id")?;
        let kind = node.tag_name().name();
        if kind != "cpt" {
            let what = format!("node `{id}` of kind `{kind}`");
            return Err(FormatError::Unsupported {
                line,
                what,
                instead: "change it to a general chance node first",
            });
        }
        let states = children(node, "state").map(|state| attribute(state, "id").map(str::to_owned));
        let place = draft.declare(line, id.to_owned(), states.collect::<Result<_, _>>()?)?;
        for property in children(node, "property") {
            let field = attribute(property, "id")?;
            if field == COLUMN_FIELD {
                draft.variables[place].column = content(property).parse().ok();
            } else {
                draft.restore(place, xml::line(property), field, &content(property))?;
            }
        }
    }
    for (place, node) in children(nodes, "cpt").enumerate() {
        let ids = only_child(node, "parents")?.map(content).unwrap_or_default();
        let parents = ids.split_whitespace().map(|id| draft.find(line(node), id));
        let parents = parents.collect::<Result<Vec<usize>, FormatError>>()?;
        let values = xml::numbers(child(node, "probabilities")?)?;
        draft.set_table(line(node), place, parents, values)?;
    }
    draft.finish(data_set)
}

//! Tests of the page and the figures of small results.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use kinfolk_report::{Report, Strengths, StrengthsError, evidence_svg, network_svg, page};
use serde_json::{Map, Value, json};

const HOSTILE: &str = "</script><script>alert(1)</script><!-- \"'&\u{1}";

/// A result of two nodes and two data sets, every name of which tries to break out.
fn result() -> Map<String, Value> {
    let tables = json!({"one": [[0.5, 0.5]], HOSTILE: [[0.123_456_789, 0.876_543_211]]});
    let node = |name: &str, parents: Value| {
        json!({
            "node": name, "parents": parents, "tables": tables, "pooled": [[0.25, 0.75]], "new": [[0.5, 0.5]],
            "shrinkage": {"one": 0.1, HOSTILE: 0.2}, "tau": 3.0, "converged": true,
        })
    };
    let value = json!({
        "structure": "[A][B|A]",
        "data_sets": ["one", HOSTILE],
        "variables": [{"name": HOSTILE, "states": ["<b>", "\""]}, {"name": "B", "states": ["0", "1"]}],
        "nodes": [node(HOSTILE, json!([])), node("B", json!([HOSTILE]))],
        "arcs": [{"from": HOSTILE, "to": "B", "gain": 2.5, "by_data_set": {"one": 3.5, HOSTILE: -1.0}}],
        "score_name": "bhd", "score": -10.0, "stop": "optimum",
        "settings": {"note": HOSTILE},
    });
    value.as_object().unwrap().clone()
}

fn report(result: &Map<String, Value>) -> Report {
    Report::from_document(HOSTILE.to_owned(), result, None).unwrap()
}

/// The JSON inside the page.
fn data(page: &str) -> Value {
    let (_, after) = page.split_once("id=\"report\">").unwrap();
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn names_with_markup_stay_text() {
    let page = page(&report(&result()));
    // Two script elements of ours: the data, and the script with the word that lets it run.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<b>") && !page.contains("alert(1)</script>"));
    assert_eq!(data(&page)["variables"][0]["name"], HOSTILE);
    for figure in [network_svg(&report(&result())), evidence_svg(&report(&result())).unwrap()] {
        assert!(!figure.contains("<script") && !figure.contains('\u{1}'), "{figure}");
        assert!(figure.contains("&#60;/script&#62;") || figure.contains("&lt;/script&gt;"), "{figure}");
    }
}

#[test]
fn the_page_makes_no_network_request() {
    let page = page(&report(&result()));
    assert!(page.contains("default-src 'none'"));
    for link in ["src=\"http", "href=\"http", "url(", "@import", "fetch(", "XMLHttpRequest", "innerHTML"] {
        assert!(!page.contains(link), "{link}");
    }
}

#[test]
fn the_page_holds_the_numbers_in_the_order_of_the_data_sets() {
    let data = data(&page(&report(&result())));
    assert_eq!(
        data["arcs"],
        json!([{"from": 0, "to": 1, "gain": 2.5, "by_data_set": [3.5, -1.0], "given_others": null, "strength": null, "direction": null, "directed": false, "reversal": null}])
    );
    let tables = &data["nodes"][1]["tables"];
    // Base64 of little-endian doubles, computed with Python's struct and base64.
    assert_eq!(tables["by_data_set"], json!(["AAAAAAAA4D8AAAAAAADgPw==", "X2M5N92avz+U0xhZpAzsPw=="]));
    assert_eq!(tables["shrinkage"], json!([0.1, 0.2]));
    assert_eq!((&data["explanation"], &data["nodes"][0]["identical"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_result_without_arcs_gains_or_tables_is_shown_as_far_as_it_goes() {
    let mut bare = result();
    bare.retain(|key, _| ["structure", "data_sets", "variables", "nodes"].contains(&key.as_str()));
    for node in bare["nodes"].as_array_mut().unwrap() {
        node.as_object_mut().unwrap().retain(|key, _| ["node", "parents"].contains(&key.as_str()));
    }
    let report = report(&bare);
    assert_eq!(report.arcs.len(), 1);
    assert_eq!((report.arcs[0].gain, &report.search, &report.nodes[0].tables), (None, &None, &None));
    assert!(evidence_svg(&report).is_none());
    assert!(network_svg(&report).contains("class=\"arc unknown\""));
}

#[test]
fn optional_fields_of_a_result_are_passed_on() {
    let mut full = result();
    full["arcs"][0]["strength"] = json!(0.9);
    full["nodes"][0]["p_identical"] = json!(0.75);
    full["nodes"][1]["kin"] =
        json!({"s": [8.0], "s_posterior": [1.0], "s_mean": 8.0, "pooled_share": 0.1, "p_identical": 0.5});
    let data = data(&page(&report(&full)));
    assert_eq!(data["arcs"][0]["strength"], 0.9);
    assert_eq!(data["nodes"][0]["identical"], 0.75);
    assert_eq!((&data["nodes"][1]["identical"], &data["nodes"][1]["s"]), (&json!(0.5), &json!(8.0)));
}

#[test]
fn arcs_are_drawn_by_agreement_and_strength() {
    let figure = network_svg(&report(&result()));
    assert!(figure.contains("class=\"arc few\"") && figure.contains("stroke-dasharray=\"3 3\""), "{figure}");
    assert!(figure.contains("half or fewer"), "{figure}");
}

#[test]
fn strengths_hold_for_either_direction_and_decide_the_width() {
    let text = json!({
        "arcs": [{"from": "B", "to": HOSTILE, "strength": 0.5, "direction": 0.75}],
        "threshold": 0.4, "averaged": "[B][C]", "replicates": 8,
    });
    let strengths = Strengths::from_json(&text.to_string()).unwrap();
    assert!(report(&result()).with_strengths(&strengths).is_err());

    let mut plain = result();
    plain["variables"][0]["name"] = json!("A");
    plain["nodes"][0]["node"] = json!("A");
    plain["nodes"][1]["parents"] = json!(["A"]);
    plain["arcs"][0]["from"] = json!("A");
    let mut strengths = strengths;
    strengths.averaged = "[B][A|B]".to_owned();
    strengths.arcs[0].to = "A".to_owned();
    let narrow = report(&plain).with_strengths(&strengths).unwrap();
    assert_eq!((narrow.arcs[0].strength, narrow.arcs[0].direction), (Some(0.5), Some(0.25)));
    let figure = network_svg(&narrow);
    assert!(figure.contains("bootstrap strength") && figure.contains("stroke-width=\"3.6\""), "{figure}");
    // An arc in no replicate has the smallest width.
    strengths.arcs.clear();
    let none = report(&plain).with_strengths(&strengths).unwrap();
    assert_eq!((none.arcs[0].strength, none.arcs[0].direction), (Some(0.0), None));
    assert!(network_svg(&none).contains("stroke-width=\"1.3\""), "{}", network_svg(&none));
}

#[test]
fn an_explanation_is_read_from_its_json() {
    let arc = |from: &str, to: &str, present: bool| {
        let by_data_set = json!({HOSTILE: -2.0, "one": 1.0});
        json!({"from": from, "to": to, "total": 4.5, "by_data_set": by_data_set, "given_others": by_data_set, "present": present})
    };
    let explanation = json!({
        "terms": "score", "arcs": [arc(HOSTILE, "B", true), arc("B", HOSTILE, false)],
        "pooling": {"verdict": HOSTILE}, "data_sets": [], "absence": {"prior": 0.1}, "halted": null, "settings": {},
    });
    let explained = report(&result()).with_explanation_json(&explanation.to_string()).unwrap();
    let page = page(&explained);
    assert_eq!(page.matches("<script").count(), 2);
    let data = data(&page);
    assert_eq!(data["arcs"][0]["given_others"], json!([1.0, -2.0]));
    assert_eq!(data["explanation"]["pooling"]["verdict"], HOSTILE);
    let left_out = &data["explanation"]["left_out"];
    assert_eq!(left_out.as_array().unwrap().len(), 1);
    assert_eq!((&left_out[0]["gain"], &left_out[0]["by_data_set"]), (&json!(4.5), &json!([1.0, -2.0])));
    let figure = evidence_svg(&explained).unwrap();
    assert!(figure.contains("Strongest links not in the network") && figure.contains(">-2.0<"), "{figure}");
    assert!(report(&result()).with_explanation_json("{}").is_err());
}

#[test]
fn unknown_variables_are_refused() {
    let refused = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut result = result();
        change(&mut result);
        Report::from_document(String::new(), &result, None).unwrap_err().to_string()
    };
    let arc = refused(&|result| result["arcs"][0]["from"] = json!("C"));
    let parent = refused(&|result| result["nodes"][1]["parents"] = json!(["C"]));
    for message in [arc, parent] {
        assert!(message.starts_with("there is no variable `C`; the variables are "), "{message}");
    }
    let explanation = json!({
        "terms": "score", "pooling": {}, "data_sets": [], "absence": {},
        "arcs": [{"from": "B", "to": "C", "total": 1.0, "by_data_set": {}, "given_others": {}, "present": false}],
    });
    let refused = report(&result()).with_explanation_json(&explanation.to_string()).unwrap_err();
    assert!(refused.to_string().contains("no variable `C`"), "{refused}");
}

#[test]
fn strengths_of_other_data_are_refused() {
    let text = json!({
        "arcs": [], "threshold": 0.4, "averaged": "[A][B]", "replicates": 8, "data_hash": "sha256:1",
        "settings": {"score_name": "bhd"},
    });
    let strengths = Strengths::from_json(&text.to_string()).unwrap();
    assert_eq!(strengths.score_name.as_deref(), Some("bhd"));
    let names = ["A", "B"].map(str::to_owned);
    assert_eq!(strengths.check(&names, None), Ok(()));
    assert_eq!(strengths.check(&names, Some("sha256:1")), Ok(()));
    assert!(matches!(strengths.check(&names, Some("sha256:2")), Err(StrengthsError::OtherData { .. })));
    assert!(matches!(strengths.check(&names[..1], Some("sha256:1")), Err(StrengthsError::Variables(_))));
    let nameless = Strengths { data_hash: None, ..strengths };
    assert_eq!(nameless.check(&names, Some("sha256:1")), Err(StrengthsError::UnknownData));
}

#[test]
fn one_data_set_has_no_legend_of_many() {
    let mut one = result();
    one["data_sets"] = json!(["one"]);
    assert!(network_svg(&report(&one)).contains("Link width: "));
    assert!(!network_svg(&report(&one)).contains("data sets"));
    one["arcs"][0]["by_data_set"] = json!({"one": -1.0});
    let figure = network_svg(&report(&one));
    assert!(figure.contains("the data do not support it") && !figure.contains("data sets"), "{figure}");
}

#[test]
fn the_figure_of_the_evidence_has_a_scale() {
    let figure = evidence_svg(&report(&result())).unwrap();
    let (_, scale) = figure.split_once("class=\"scale\"").unwrap();
    for text in [">-3.5<", ">0<", ">3.5<"] {
        assert!(scale.contains(text), "{text}: {scale}");
    }
}

#[cfg(feature = "png")]
#[test]
fn figures_are_painted_with_their_letters() {
    use kinfolk_report::png;

    let figure = network_svg(&report(&result()));
    let painted = png(&figure);
    assert!(painted.starts_with(b"\x89PNG"));
    // Without a font the names would be missing, and the picture would be that of a figure without them.
    let nameless = figure.replace("text-anchor", "display=\"none\" data-anchor");
    assert_ne!(painted, png(&nameless));
}

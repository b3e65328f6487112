//! Whether a value fits a schema: as much of JSON Schema as our document uses.
//!
//! A whole validator would bring some thirty crates. This one knows few
//! keywords and refuses all others, so that nothing passes unseen when the
//! document comes to use more.

use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Checks a value; `document` is where references lead.
///
/// # Errors
/// Says what does not fit, and where.
pub(super) fn check(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let keywords = schema
        .as_object()
        .ok_or_else(|| format!("{schema} is no schema"))?;
    for (keyword, rule) in keywords {
        let fits = match keyword.as_str() {
            "description" | "title" | "example" | "examples" | "default" => true,
            "$ref" => check(document, followed(document, rule)?, value).map(|()| true)?,
            "type" => is_type(rule, value),
            "format" => has_format(rule, value)?,
            "enum" => list(rule).contains(value),
            "pattern" => is_literal(rule, value)?,
            "minimum" => compare(rule, value, |limit, number| number >= limit),
            "maximum" => compare(rule, value, |limit, number| number <= limit),
            "items" => check_items(document, rule, value).map(|()| true)?,
            "properties" => check_fields(document, rule, value).map(|()| true)?,
            "required" => has_fields(rule, value),
            "additionalProperties" if *rule == false => has_no_others(&schema["properties"], value),
            _ => return Err(format!("the check does not know {keyword} {rule}")),
        };
        if !fits {
            return Err(format!("{value} does not fit {keyword} {rule}"));
        }
    }
    Ok(())
}

/// What `#/components/schemas/Name` stands for.
fn followed<'a>(document: &'a Value, reference: &Value) -> Result<&'a Value, String> {
    reference
        .as_str()
        .and_then(|text| document.pointer(text.strip_prefix('#')?))
        .ok_or_else(|| format!("{reference} leads nowhere"))
}

fn list(rule: &Value) -> &[Value] {
    rule.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn is_type(rule: &Value, value: &Value) -> bool {
    if rule.is_array() {
        return list(rule).iter().any(|rule| is_type(rule, value));
    }
    match rule.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn has_format(rule: &Value, value: &Value) -> Result<bool, String> {
    Ok(match rule.as_str().unwrap_or_default() {
        "int64" => value.as_number().is_none_or(serde_json::Number::is_i64),
        "int32" => value.as_number().is_none_or(|number| {
            number
                .as_i64()
                .is_some_and(|number| i32::try_from(number).is_ok())
        }),
        "date-time" => value
            .as_str()
            .is_none_or(|text| OffsetDateTime::parse(text, &Rfc3339).is_ok()),
        _ => return Err(format!("the check does not know the format {rule}")),
    })
}

/// Of patterns, only a fixed text between `^` and `$`.
fn is_literal(rule: &Value, value: &Value) -> Result<bool, String> {
    let literal = rule
        .as_str()
        .and_then(|pattern| pattern.strip_prefix('^')?.strip_suffix('$'))
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .ok_or_else(|| format!("the check does not know the pattern {rule}"))?;
    Ok(value.as_str().is_none_or(|text| text == literal))
}

fn compare(rule: &Value, value: &Value, holds: fn(i64, i64) -> bool) -> bool {
    match (rule.as_i64(), value.as_i64()) {
        (Some(limit), Some(number)) => holds(limit, number),
        (Some(_), None) => !value.is_number(),
        (None, _) => false,
    }
}

fn check_items(document: &Value, rule: &Value, value: &Value) -> Result<(), String> {
    list(value).iter().enumerate().try_for_each(|(at, item)| {
        check(document, rule, item).map_err(|error| format!("[{at}] {error}"))
    })
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn check_fields(document: &Value, rule: &Value, value: &Value) -> Result<(), String> {
    fields(value)
        .filter_map(|(name, field)| Some((name, rule.get(name)?, field)))
        .try_for_each(|(name, rule, field)| {
            check(document, rule, field).map_err(|error| format!("{name}: {error}"))
        })
}

fn has_fields(rule: &Value, value: &Value) -> bool {
    !value.is_object()
        || list(rule)
            .iter()
            .all(|name| name.as_str().is_some_and(|name| value.get(name).is_some()))
}

fn has_no_others(known: &Value, value: &Value) -> bool {
    fields(value).all(|(name, _)| known.get(name).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_keyword_lets_the_right_pass_and_stops_the_wrong() {
        let document = json!({"components": {"schemas": {"Id": {"type": "integer"}}}});
        for (schema, good, bad) in [
            (
                json!({"$ref": "#/components/schemas/Id"}),
                json!(1),
                json!("1"),
            ),
            (
                json!({"type": ["integer", "null"]}),
                json!(null),
                json!(1.5),
            ),
            (json!({"format": "int32"}), json!(7), json!(1_i64 << 31)),
            (
                json!({"format": "date-time"}),
                json!("2026-01-01T00:00:00Z"),
                json!("2026-01-01"),
            ),
            (
                json!({"enum": ["buy", "sell"]}),
                json!("buy"),
                json!("hold"),
            ),
            (
                json!({"pattern": "^ready$"}),
                json!("ready"),
                json!("already"),
            ),
            (json!({"minimum": 1}), json!(1), json!(0)),
            (json!({"maximum": 9999}), json!(9999), json!(10_000)),
            (
                json!({"items": {"type": "string"}}),
                json!(["a"]),
                json!(["a", 1]),
            ),
            (
                json!({"properties": {"a": {"type": "string"}}}),
                json!({"a": "x", "b": 1}),
                json!({"a": 1}),
            ),
            (json!({"required": ["a"]}), json!({"a": 1}), json!({"b": 1})),
            (
                json!({"properties": {"a": {}}, "additionalProperties": false}),
                json!({"a": 1}),
                json!({"b": 1}),
            ),
        ] {
            assert_eq!(check(&document, &schema, &good), Ok(()), "{schema}");
            assert!(check(&document, &schema, &bad).is_err(), "{schema}");
        }
        for unknown in [
            json!({"oneOf": []}),
            json!({"format": "ipv9"}),
            json!({"pattern": "a.*"}),
        ] {
            assert!(check(&document, &unknown, &json!(1)).is_err(), "{unknown}");
        }
    }
}

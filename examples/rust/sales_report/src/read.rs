//! From JSON to days: rows of sales, or days that were processed before.

use crate::date::{Date, EXPECTED};
use crate::day::{Day, Product, TooManyDigits, add_product};
use crate::decimal::Decimal;
use crate::parameters::{Fields, invalid, too_large, type_of, unfit};
use contexture::flow::action::{ActionCall, ActionFailure};
use serde_json::Value;
use std::collections::BTreeMap;

/// The days of a parameter, in order; `None` if it is not there.
pub(crate) fn days(call: &ActionCall, name: &str) -> Result<Option<Vec<Day>>, ActionFailure> {
    match call.parameters.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(list)) => read(name, list).map(Some),
        found => Err(unfit(name, "a list of rows or days", found)),
    }
}

/// As [`days`], where they must be there.
pub(crate) fn required_days(call: &ActionCall, name: &str) -> Result<Vec<Day>, ActionFailure> {
    days(call, name)?.ok_or_else(|| unfit(name, "a list of rows or days", None))
}

fn read(name: &str, list: &[Value]) -> Result<Vec<Day>, ActionFailure> {
    let mut days: BTreeMap<Date, Day> = BTreeMap::new();
    for (number, item) in list.iter().enumerate() {
        let path = format!("{name}[{number}]");
        let Value::Object(fields) = item else {
            return Err(unfit(
                &path,
                "an object with date, product_id, quantity, price",
                Some(item),
            ));
        };
        let day = day(&path, fields)?;
        let added = match days.get_mut(&day.date) {
            Some(known) => known.add(day),
            None => {
                days.insert(day.date, day);
                Ok(())
            }
        };
        added.map_err(|fault| overflow(&path, fault))?;
    }
    Ok(days.into_values().collect())
}

fn day(path: &str, fields: &Fields) -> Result<Day, ActionFailure> {
    let date = match fields.get("date") {
        Some(Value::String(text)) => Date::parse(text).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            invalid(format!("`{path}.date`: expected {EXPECTED}, found {shown:?}"))
        })?,
        found => return Err(unfit(&format!("{path}.date"), EXPECTED, found)),
    };
    if fields.contains_key("products") || fields.contains_key("daily_revenue") {
        return processed(path, date, fields);
    }
    let quantity = amount(path, fields, "quantity")?;
    let price = amount(path, fields, "price")?;
    let revenue = match (amount(path, fields, "revenue")?, quantity, price) {
        (Some(revenue), ..) => Some(revenue),
        (None, Some(quantity), Some(price)) => {
            Some(quantity.times(price).ok_or_else(|| overflow(path, TooManyDigits))?)
        }
        _ => None,
    };
    let id = id(path, fields)?;
    let products =
        id.map(|id| BTreeMap::from([(id.to_string(), Product { id, quantity, revenue })]));
    Ok(Day { date, sales: 1, quantity, revenue, products })
}

fn processed(path: &str, date: Date, fields: &Fields) -> Result<Day, ActionFailure> {
    let sales = match fields.get("sales") {
        None => 0,
        found => found
            .and_then(Value::as_u64)
            .ok_or_else(|| unfit(&format!("{path}.sales"), "a whole number", found))?,
    };
    let products = match fields.get("products") {
        None => None,
        Some(Value::Array(list)) => Some(products(path, list)?),
        found => return Err(unfit(&format!("{path}.products"), "a list of products", found)),
    };
    let revenue = match amount(path, fields, "daily_revenue")? {
        Some(revenue) => Some(revenue),
        None => products.as_ref().map_or(Ok(None), total).map_err(|fault| overflow(path, fault))?,
    };
    Ok(Day { date, sales, quantity: amount(path, fields, "quantity")?, revenue, products })
}

fn products(path: &str, list: &[Value]) -> Result<BTreeMap<String, Product>, ActionFailure> {
    let mut products = BTreeMap::new();
    for (number, item) in list.iter().enumerate() {
        let path = format!("{path}.products[{number}]");
        let expected = "an object with product_id, quantity, revenue";
        let fields = item.as_object().ok_or_else(|| unfit(&path, expected, Some(item)))?;
        let id = id(&path, fields)?.ok_or_else(|| unfit(&path, expected, Some(item)))?;
        let product = Product {
            quantity: amount(&path, fields, "quantity")?,
            revenue: amount(&path, fields, "revenue")?,
            id,
        };
        add_product(&mut products, product.id.to_string(), product)
            .map_err(|fault| overflow(&path, fault))?;
    }
    Ok(products)
}

/// What all products brought, if that is known of each.
fn total(products: &BTreeMap<String, Product>) -> Result<Option<Decimal>, TooManyDigits> {
    let mut total = Some(Decimal::ZERO);
    for product in products.values() {
        total = super::day::sum(total, product.revenue)?;
    }
    Ok(total)
}

/// An amount that may be missing; one that is null is an error, for nobody knows what it adds.
fn amount(path: &str, fields: &Fields, name: &str) -> Result<Option<Decimal>, ActionFailure> {
    let Some(value) = fields.get(name) else { return Ok(None) };
    if let Some(number) = Decimal::of(value) {
        return Ok(Some(number));
    }
    let found = match value {
        Value::Null => {
            "null (leave such rows out in the query, or give a value with coalesce)".to_owned()
        }
        Value::Number(_) => "one with more than 38 digits or 30 decimals".to_owned(),
        Value::String(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
        other => type_of(other).to_owned(),
    };
    Err(invalid(format!("`{path}.{name}`: expected a number, found {found}")))
}

fn id(path: &str, fields: &Fields) -> Result<Option<Value>, ActionFailure> {
    match fields.get("product_id") {
        None => Ok(None),
        Some(id @ (Value::String(_) | Value::Number(_))) => Ok(Some(id.clone())),
        found => Err(unfit(&format!("{path}.product_id"), "a text or a number", found)),
    }
}

pub(crate) fn overflow(path: &str, _: TooManyDigits) -> ActionFailure {
    too_large(format!("the amounts up to `{path}` add up to a number with more than 38 digits"))
}

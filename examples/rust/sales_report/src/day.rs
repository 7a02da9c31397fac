//! What was sold on one day.

use crate::date::Date;
use crate::decimal::Decimal;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A day with sales; an amount that some sale of it does not have is unknown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Day {
    pub(crate) date: Date,
    /// How many rows.
    pub(crate) sales: u64,
    pub(crate) quantity: Option<Decimal>,
    pub(crate) revenue: Option<Decimal>,
    /// By the JSON of their ids; unknown if some sale does not name its product.
    pub(crate) products: Option<BTreeMap<String, Product>>,
}

/// What was sold of one product.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Product {
    pub(crate) id: Value,
    pub(crate) quantity: Option<Decimal>,
    pub(crate) revenue: Option<Decimal>,
}

/// A sum with too many digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyDigits;

/// A sum, unknown if one of its parts is.
pub(crate) fn sum(
    left: Option<Decimal>,
    right: Option<Decimal>,
) -> Result<Option<Decimal>, TooManyDigits> {
    match (left, right) {
        (Some(left), Some(right)) => left.plus(right).map(Some).ok_or(TooManyDigits),
        _ => Ok(None),
    }
}

impl Day {
    /// Adds another record of the same day.
    pub(crate) fn add(&mut self, other: Self) -> Result<(), TooManyDigits> {
        self.sales = self.sales.saturating_add(other.sales);
        self.quantity = sum(self.quantity, other.quantity)?;
        self.revenue = sum(self.revenue, other.revenue)?;
        match (&mut self.products, other.products) {
            (Some(products), Some(others)) => {
                for (key, product) in others {
                    add_product(products, key, product)?;
                }
            }
            (products, _) => *products = None,
        }
        Ok(())
    }

    /// The day as PROCESS_DATA gives it.
    pub(crate) fn to_json(&self, aggregated: bool, with_revenue: bool) -> Value {
        let mut fields = Map::new();
        fields.insert("date".to_owned(), self.date.to_string().into());
        if aggregated {
            fields.insert("sales".to_owned(), self.sales.into());
            put(&mut fields, "quantity", self.quantity);
            if let Some(products) = &self.products {
                let products = products.values().map(Product::to_json).collect();
                fields.insert("products".to_owned(), Value::Array(products));
            }
        }
        if with_revenue {
            put(&mut fields, "daily_revenue", self.revenue);
        }
        Value::Object(fields)
    }
}

impl Product {
    fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("product_id".to_owned(), self.id.clone());
        put(&mut fields, "quantity", self.quantity);
        put(&mut fields, "revenue", self.revenue);
        Value::Object(fields)
    }
}

/// Adds to a product, or adds the product.
pub(crate) fn add_product(
    products: &mut BTreeMap<String, Product>,
    key: String,
    product: Product,
) -> Result<(), TooManyDigits> {
    if let Some(known) = products.get_mut(&key) {
        known.quantity = sum(known.quantity, product.quantity)?;
        known.revenue = sum(known.revenue, product.revenue)?;
    } else {
        products.insert(key, product);
    }
    Ok(())
}

fn put(fields: &mut Map<String, Value>, name: &str, amount: Option<Decimal>) {
    if let Some(amount) = amount {
        fields.insert(name.to_owned(), amount.to_json());
    }
}

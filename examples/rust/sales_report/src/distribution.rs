//! How sales are spread over products.

use crate::analysis::Period;
use crate::day::{Day, Product, TooManyDigits, add_product, sum};
use crate::decimal::Decimal;
use crate::parameters::invalid;
use crate::read::overflow;
use crate::rounded;
use crate::trend::{Half, change};
use contexture::flow::action::ActionFailure;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The share of each product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Distribution {
    /// What the shares are of.
    pub(crate) by: By,
    /// All of it, exact.
    pub(crate) total: Decimal,
    /// The largest share first.
    pub(crate) products: Vec<Share>,
}

/// What shares are of: revenue where it is known, else quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    Revenue,
    Quantity,
}

/// A product's share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Share {
    pub(crate) product_id: Value,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) quantity: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) revenue: Option<Decimal>,
    /// From 0 to 1; nothing where all together is 0.
    pub(crate) share: Option<f64>,
    /// The second half of the period against the first.
    pub(crate) change_percent: Option<f64>,
}

type Products = BTreeMap<String, Product>;

/// The shares of the products of some days.
pub(crate) fn products(
    days: &[Day],
    period: Option<Period>,
) -> Result<Distribution, ActionFailure> {
    let all = gathered(days, |_| true)?;
    let by = if all.values().all(|product| product.revenue.is_some()) {
        By::Revenue
    } else if all.values().all(|product| product.quantity.is_some()) {
        By::Quantity
    } else {
        return Err(invalid(
            "product_distribution: expected `quantity` and `price` (or `revenue`) of every product, and some have neither: select them in the query",
        ));
    };
    let in_half =
        |half| move |day: &Day| period.and_then(|period| period.half(day.date)) == Some(half);
    let first = gathered(days, in_half(Half::First))?;
    let second = gathered(days, in_half(Half::Second))?;
    let total = total(&all, by).map_err(|fault| overflow("data", fault))?;
    let mut products: Vec<Share> = all
        .into_iter()
        .map(|(key, product)| {
            let part = by.of(&product).float();
            let sold =
                |half: &Products| half.get(&key).map_or(0.0, |product| by.of(product).float());
            Share {
                share: (!total.is_zero()).then(|| rounded(part / total.float())),
                change_percent: change(sold(&first), sold(&second)),
                product_id: product.id,
                quantity: product.quantity,
                revenue: product.revenue,
            }
        })
        .collect();
    // Stable, so that equal shares stay in the order of their ids.
    products.sort_by(|one, other| by.of_share(other).total_cmp(&by.of_share(one)));
    Ok(Distribution { by, total, products })
}

/// Whether shares can be told: by revenue of every product, or by quantity of every product.
pub(crate) fn is_known(days: &[Day]) -> bool {
    let every = |known: fn(&Product) -> bool| {
        days.iter()
            .all(|day| day.products.as_ref().is_some_and(|products| products.values().all(known)))
    };
    every(|product| product.revenue.is_some()) || every(|product| product.quantity.is_some())
}

impl By {
    fn of(self, product: &Product) -> Decimal {
        match self {
            Self::Revenue => product.revenue,
            Self::Quantity => product.quantity,
        }
        .unwrap_or_default()
    }

    fn of_share(self, share: &Share) -> f64 {
        match self {
            Self::Revenue => share.revenue,
            Self::Quantity => share.quantity,
        }
        .unwrap_or_default()
        .float()
    }
}

/// What was sold of each product on those of the days that are wanted.
fn gathered(days: &[Day], wanted: impl Fn(&Day) -> bool) -> Result<Products, ActionFailure> {
    let mut all = Products::new();
    for day in days.iter().filter(|day| wanted(day)) {
        for (key, product) in day.products.as_ref().ok_or_else(|| unknown(day))? {
            add_product(&mut all, key.clone(), product.clone())
                .map_err(|fault| overflow("data", fault))?;
        }
    }
    Ok(all)
}

fn total(products: &Products, by: By) -> Result<Decimal, TooManyDigits> {
    let mut total = Some(Decimal::ZERO);
    for product in products.values() {
        total = sum(total, Some(by.of(product)))?;
    }
    Ok(total.unwrap_or_default())
}

fn unknown(day: &Day) -> ActionFailure {
    let date = day.date;
    invalid(format!(
        "product_distribution: expected `products` of every day, and {date} has none: process the data with aggregate_by_date, or give rows with `product_id`"
    ))
}

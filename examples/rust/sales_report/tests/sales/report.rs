//! The actions, called as a flow calls them, and the whole report (FL-3, FL-11).

use crate::test_project::TestProject;
use contexture::flow::action::Actions as _;
use contexture::protocol::content::Status;
use proptest::prelude::*;
use rusqlite::Connection;
use sales_report::SET;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A row of the example's database, its price in cents.
struct Row {
    day: i64,
    product: String,
    quantity: i64,
    cents: i64,
}

/// The rows as SQLite has them, read without any of the code under test.
fn rows(project: &TestProject) -> Vec<Row> {
    let connection = Connection::open(project.path("sales.db")).unwrap();
    let mut statement = connection
        .prepare("select cast(substr(date, 9) as integer), product_id, quantity, cast(round(price * 100) as integer) from sales")
        .unwrap();
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Row {
            day: row.get(0)?,
            product: row.get(1)?,
            quantity: row.get(2)?,
            cents: row.get(3)?,
        })
    };
    statement.query_map([], row).unwrap().map(Result::unwrap).collect()
}

fn sums<K: Ord>(rows: &[Row], key: impl Fn(&Row) -> K) -> BTreeMap<K, i64> {
    let mut sums = BTreeMap::new();
    for row in rows {
        *sums.entry(key(row)).or_default() += row.quantity * row.cents;
    }
    sums
}

fn assert_near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{found} is not {expected}");
}

#[tokio::test]
async fn fl_3_report_equals_an_independent_computation() {
    let project = TestProject::new();
    let report = project.run(serde_json::from_str(SET).unwrap()).await;
    assert_eq!(report.status(), Status::Completed, "{}", report.to_value());
    let result = |index: usize| report.outcome(index).unwrap().result.unwrap();
    let rows = rows(&project);
    let days = sums(&rows, |row| row.day);
    assert_eq!((days.len(), &result(1)["count"]), (30, &json!(rows.len())));

    let processed = result(2)["processed_data"].clone();
    for (day, cents) in &days {
        let found = &processed[usize::try_from(*day).unwrap() - 1];
        assert_eq!(found["date"], format!("2025-11-{day:02}"));
        assert_eq!((found["daily_revenue"].as_f64().unwrap() * 100.0).round() as i64, *cents);
        let sold: i64 = rows.iter().filter(|row| row.day == *day).map(|row| row.quantity).sum();
        assert_eq!(found["quantity"], sold);
    }

    let analysis = result(3)["analysis"].clone();
    let total: i64 = days.values().sum();
    let euros = |cents: i64| cents as f64 / 100.0;
    let revenue = &analysis["daily_revenue"];
    assert_eq!(
        revenue["total"].to_string(),
        format!("{}.{:02}", total / 100, total % 100).trim_end_matches('0')
    );
    assert_near(&revenue["average"], euros(total) / 30.0);

    // The textbook's formula, over floats.
    let mean_day = 15.5;
    let mean = euros(total) / 30.0;
    let products =
        days.iter().map(|(day, cents)| (*day as f64 - mean_day) * (euros(*cents) - mean));
    let squares = days.keys().map(|day| (*day as f64 - mean_day).powi(2));
    let slope = products.sum::<f64>() / squares.sum::<f64>();
    assert_near(&revenue["slope"], slope);
    let word = if (slope * 29.0).abs() < mean / 100.0 {
        "flat"
    } else if slope > 0.0 {
        "up"
    } else {
        "down"
    };
    assert_eq!(revenue["direction"], word);
    assert_eq!(word, "up", "the example has a trend to show");

    let half = |from: i64, to: i64| euros(days.range(from..=to).map(|(_, cents)| cents).sum());
    let change = (half(16, 30) - half(1, 15)) / half(1, 15) * 100.0;
    assert_near(&revenue["change_percent"], change);
    // 2025-11-01 was a Saturday.
    let (weekend, weekday): (Vec<_>, Vec<_>) =
        days.iter().partition(|(day, _)| matches!(*day % 7, 1 | 2));
    let average = |days: &[(&i64, &i64)]| {
        euros(days.iter().map(|(_, cents)| **cents).sum()) / days.len() as f64
    };
    assert_eq!((weekend.len(), weekday.len()), (10, 20));
    assert_near(&revenue["weekend_average"], average(&weekend));
    assert_near(&revenue["weekday_average"], average(&weekday));
    let best = days.iter().max_by_key(|(day, cents)| (**cents, -**day)).unwrap();
    assert_eq!(revenue["highest"]["date"], format!("2025-11-{:02}", best.0));

    let of_products = sums(&rows, |row| row.product.clone());
    let shares = analysis["product_distribution"]["products"].as_array().unwrap();
    assert_eq!(shares.len(), of_products.len());
    assert!(shares.is_sorted_by(|one, other| one["share"].as_f64() >= other["share"].as_f64()));
    for share in shares {
        let cents = of_products[share["product_id"].as_str().unwrap()];
        assert_near(&share["revenue"], euros(cents));
        assert_near(&share["share"], cents as f64 / total as f64);
    }

    let report = result(4)["report"].as_str().unwrap().to_owned();
    let total = format!("- Total revenue: {}.{:02}\n", total / 100, total % 100);
    assert!(report.contains(&total), "{report}");
    assert!(report.contains(&format!("first: {change:+.1}%")), "{report}");
    let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, ["# Sales report", "## Summary", "## Trends", "## Recommendations"]);
}

#[test]
fn fl_11_every_action_of_the_report_may_be_done_again_after_a_crash() {
    let actions = sales_report::actions();
    assert_eq!(actions.names(), ["ANALYZE_TREND", "GENERATE_REPORT", "PROCESS_DATA"]);
    for name in actions.names() {
        let info = actions.describe(&name).unwrap();
        assert!(info.idempotent && info.parameters.is_some(), "{name}");
    }
}

#[tokio::test]
async fn fl_11_report_run_twice_gives_the_same_report() {
    let project = TestProject::new();
    let set: Value = serde_json::from_str(SET).unwrap();
    let first = project.run(set.clone()).await;
    let second = project.run(set).await;
    assert_eq!(first.outcome(0).unwrap().result.unwrap()["created"], true);
    assert_eq!(second.outcome(0).unwrap().result.unwrap()["created"], false);
    assert_eq!(first.outcome(4).unwrap().result, second.outcome(4).unwrap().result);
}

fn row(date: &str, product: &str, quantity: i64, price: f64) -> Value {
    json!({"date": date, "product_id": product, "quantity": quantity, "price": price})
}

async fn process(project: &TestProject, data: Value, operations: &[&str]) -> Value {
    let parameters = json!({"data": data, "operations": operations});
    project.call("PROCESS_DATA", parameters).await["processed_data"].clone()
}

#[tokio::test]
async fn fl_3_process_data_groups_by_date_and_adds_exactly() {
    let project = TestProject::new();
    let data = json!([
        row("2025-11-02", "b", 1, 0.2),
        row("2025-11-01T10:00:00Z", "a", 3, 0.1),
        row("2025-11-01 23:59", "b", 2, 19.99),
        row("2025-11-01", "a", -1, 0.1),
    ]);
    let both =
        process(&project, data.clone(), &["aggregate_by_date", "calculate_daily_revenue"]).await;
    assert_eq!(
        both,
        json!([
            {"date": "2025-11-01", "sales": 3, "quantity": 4, "products": [
                {"product_id": "a", "quantity": 2, "revenue": 0.2},
                {"product_id": "b", "quantity": 2, "revenue": 39.98}], "daily_revenue": 40.18},
            {"date": "2025-11-02", "sales": 1, "quantity": 1, "products": [
                {"product_id": "b", "quantity": 1, "revenue": 0.2}], "daily_revenue": 0.2},
        ])
    );
    let revenue = process(&project, data.clone(), &["calculate_daily_revenue"]).await;
    assert_eq!(revenue[0], json!({"date": "2025-11-01", "daily_revenue": 40.18}));

    // In two steps it is the same as in one.
    let aggregated = process(&project, data, &["aggregate_by_date"]).await;
    let stepwise =
        process(&project, aggregated, &["aggregate_by_date", "calculate_daily_revenue"]).await;
    assert_eq!(stepwise, both);
    assert_eq!(process(&project, json!([]), &["aggregate_by_date"]).await, json!([]));
}

#[tokio::test]
async fn fl_3_row_without_amounts_is_named_by_its_place() {
    let project = TestProject::new();
    for (data, part) in [
        (json!([{"date": "2025-02-30"}]), "`data[0].date`: expected a date such as 2025-11-30"),
        (json!([{"date": 20251130}]), "`data[0].date`"),
        (json!([row("2025-11-01", "a", 1, 1.0), {"quantity": 1}]), "`data[1].date`"),
        (
            json!([{"date": "2025-11-01", "quantity": null, "price": 1}]),
            "`data[0].quantity`: expected a number, found null",
        ),
        (json!([{"date": "2025-11-01", "quantity": 1, "price": "a lot"}]), "`data[0].price`"),
        (json!([{"date": "2025-11-01", "quantity": 1, "price": 1e-300}]), "30 decimals"),
        (json!([{"date": "2025-11-01", "quantity": 1}]), "a row of 2025-11-01 does not have them"),
        (json!([{"date": "2025-11-01", "products": [{"quantity": 1}]}]), "`data[0].products[0]`"),
        (json!([{"date": "2025-11-01", "products": 1}]), "`data[0].products`"),
        (json!([{"date": "2025-11-01", "daily_revenue": 1, "sales": -1}]), "`data[0].sales`"),
        (json!([1]), "object"),
        (json!("rows"), "array"),
    ] {
        let parameters = json!({"data": data, "operations": ["calculate_daily_revenue"]});
        project.refuses("PROCESS_DATA", parameters, "VALIDATION_FAILED", part).await;
    }
    let huge = json!([{"date": "2025-11-01", "quantity": 1e30, "price": 1e30}]);
    let parameters = json!({"data": huge, "operations": ["calculate_daily_revenue"]});
    project.refuses("PROCESS_DATA", parameters, "TOO_LARGE", "38 digits").await;
}

#[tokio::test]
async fn fl_3_unknown_words_are_refused_with_the_choices() {
    let project = TestProject::new();
    for (action, parameters, part) in [
        ("PROCESS_DATA", json!({"data": [], "operations": ["sum"]}), "calculate_daily_revenue"),
        ("PROCESS_DATA", json!({"data": [], "operations": []}), "[]"),
        ("PROCESS_DATA", json!({"data": []}), "operations"),
        ("ANALYZE_TREND", json!({"data": [], "metrics": ["profit"]}), "product_distribution"),
        (
            "ANALYZE_TREND",
            json!({"data": [], "metrics": ["daily_revenue"], "timeRange": "1 month"}),
            "1 month",
        ),
        (
            "ANALYZE_TREND",
            json!({"data": [], "metrics": ["daily_revenue"], "timeRange": "0d"}),
            "0d",
        ),
        ("GENERATE_REPORT", json!({"rawData": [], "format": "pdf"}), "markdown"),
        ("GENERATE_REPORT", json!({"rawData": [], "sections": ["outlook"]}), "recommendations"),
        ("GENERATE_REPORT", json!({}), "expected `rawData`, `processedData` or `analysis`"),
        ("GENERATE_REPORT", json!({"analysis": {"total": 1}}), "expected what ANALYZE_TREND gives"),
        (
            "GENERATE_REPORT",
            json!({"rawData": [], "analysis": {"period": {"from": "2025-11-02", "to": "2025-11-01", "days": i64::MIN, "days_with_sales": 0}}}),
            "`period.days` are not the days",
        ),
    ] {
        project.refuses(action, parameters, "VALIDATION_FAILED", part).await;
    }
}

async fn analyze(project: &TestProject, data: Value, range: Option<&str>) -> Value {
    let metrics = ["daily_revenue", "product_distribution"];
    let parameters = match range {
        Some(range) => json!({"data": data, "metrics": metrics, "timeRange": range}),
        None => json!({"data": data, "metrics": metrics}),
    };
    project.call("ANALYZE_TREND", parameters).await["analysis"].clone()
}

#[tokio::test]
async fn fl_3_trends_have_slope_and_direction() {
    let project = TestProject::new();
    let line = |step: i64| -> Value {
        (0..10)
            .map(|day| row(&format!("2025-11-{:02}", day + 1), "a", 100 + step * day, 1.0))
            .collect()
    };
    for (step, slope, direction, change) in
        [(5, 5.0, "up", 22.727_273), (-5, -5.0, "down", -27.777_778), (0, 0.0, "flat", 0.0)]
    {
        let revenue = analyze(&project, line(step), None).await["daily_revenue"].clone();
        assert_eq!(revenue["slope"], slope);
        assert_eq!(revenue["direction"], direction);
        assert_near(&revenue["change_percent"], change);
    }
    // Half a percent over the whole period is nothing.
    let nearly: Value =
        (0..11).map(|day| row(&format!("2025-11-{:02}", day + 1), "a", 2_000 + day, 1.0)).collect();
    assert_eq!(analyze(&project, nearly, None).await["daily_revenue"]["direction"], "flat");
}

#[tokio::test]
async fn fl_3_days_without_sales_count_and_ranges_end_with_the_data() {
    let project = TestProject::new();
    let data = json!([
        row("2025-10-01", "old", 1, 1000.0),
        row("2025-11-01", "a", 1, 10.0),
        row("2025-11-04", "a", 1, 30.0),
        row("2025-11-04", "b", 1, 20.0),
    ]);
    let analysis = analyze(&project, data.clone(), Some("4d")).await;
    assert_eq!(analysis["time_range"], "4d");
    assert_eq!(
        analysis["period"],
        json!({"from": "2025-11-01", "to": "2025-11-04", "days": 4, "days_with_sales": 2})
    );
    let revenue = &analysis["daily_revenue"];
    assert_eq!((&revenue["total"], &revenue["average"]), (&json!(60), &json!(15.0)));
    assert_eq!(revenue["lowest"], json!({"date": "2025-11-02", "revenue": 0}));
    assert_eq!(revenue["highest"], json!({"date": "2025-11-04", "revenue": 50}));
    assert_eq!(revenue["change_percent"], 400.0);
    let products = &analysis["product_distribution"]["products"];
    assert_eq!(
        products[0],
        json!({"product_id": "a", "quantity": 2, "revenue": 40, "share": 0.666667, "change_percent": 200.0})
    );
    assert_eq!(products[1]["change_percent"], json!(null));

    let week = analyze(&project, data.clone(), Some("1w")).await;
    assert_eq!(week["period"]["from"], "2025-10-29", "{week}");
    let all = analyze(&project, data, Some("9999w")).await;
    assert_eq!(
        (&all["period"]["from"], &all["period"]["days"]),
        (&json!("2025-10-01"), &json!(35))
    );
}

#[tokio::test]
async fn fl_3_empty_data_gives_an_empty_report() {
    let project = TestProject::new();
    let analysis = analyze(&project, json!([]), Some("30d")).await;
    assert_eq!(analysis["period"], json!(null));
    assert_eq!(
        (&analysis["daily_revenue"]["total"], &analysis["daily_revenue"]["direction"]),
        (&json!(0), &json!("flat"))
    );
    let report = project
        .call("GENERATE_REPORT", json!({"rawData": [], "processedData": [], "analysis": analysis}))
        .await;
    assert!(report["report"].as_str().unwrap().contains("There are no sales in the data."));
}

#[tokio::test]
async fn fl_3_metric_without_its_fields_is_refused_with_what_it_needs() {
    let project = TestProject::new();
    let data = json!([{"date": "2025-11-01", "daily_revenue": 5}]);
    let by = |metric: &str, data: &Value| json!({"data": data, "metrics": [metric]});
    assert_eq!(
        project.call("ANALYZE_TREND", by("daily_revenue", &data)).await["analysis"]["daily_revenue"]
            ["total"],
        5
    );
    project
        .refuses(
            "ANALYZE_TREND",
            by("product_distribution", &data),
            "VALIDATION_FAILED",
            "aggregate_by_date",
        )
        .await;

    let counted = json!([{"date": "2025-11-01", "product_id": 7, "quantity": 3}, {"date": "2025-11-01", "product_id": 8, "quantity": 1}]);
    let shares = project.call("ANALYZE_TREND", by("product_distribution", &counted)).await["analysis"]["product_distribution"].clone();
    assert_eq!(
        (&shares["by"], &shares["products"][0]["product_id"], &shares["products"][0]["share"]),
        (&json!("quantity"), &json!(7), &json!(0.75))
    );
    project
        .refuses(
            "ANALYZE_TREND",
            by("daily_revenue", &counted),
            "VALIDATION_FAILED",
            "calculate_daily_revenue",
        )
        .await;
}

#[tokio::test]
async fn fl_3_report_with_a_wrong_total_is_refused() {
    let project = TestProject::new();
    let data = json!([row("2025-11-01", "a", 1, 10.0), row("2025-11-02", "a", 1, 20.0)]);
    let analysis = analyze(&project, data.clone(), None).await;
    let other = json!([row("2025-11-01", "a", 1, 10.0), row("2025-11-02", "a", 1, 20.01)]);
    let report =
        |raw: &Value| json!({"rawData": raw, "analysis": analysis, "sections": ["summary"]});
    let told =
        project.call("GENERATE_REPORT", report(&data)).await["report"].as_str().unwrap().to_owned();
    assert!(told.contains("- Sales: 2\n- Total revenue: 30.00\n"), "{told}");
    assert!(!told.contains("## Trends"), "{told}");
    project
        .refuses(
            "GENERATE_REPORT",
            report(&other),
            "VALIDATION_FAILED",
            "`rawData` adds up to 30.01 from 2025-11-01 to 2025-11-02, and `analysis` says 30.00",
        )
        .await;
}

#[tokio::test]
async fn fl_3_product_names_are_escaped_in_every_format() {
    let project = TestProject::new();
    let name = "<b>*a*|b</b>\n# x_1 _y_";
    let data = json!([row("2025-11-01", name, 1, 10.0), row("2025-11-03", "c", 1, 5.0)]);
    let report = |format: &str| json!({"rawData": data, "format": format, "sections": ["recommendations", "trends"]});
    let call = async |format: &str| {
        project.call("GENERATE_REPORT", report(format)).await["report"].clone()
    };

    let markdown = call("markdown").await;
    let markdown = markdown.as_str().unwrap();
    assert!(
        markdown.contains(r"| \<b\>\*a\*\|b\</b\> # x_1 \_y\_ | 1 | 10.00 | 66.7% | -100.0% |"),
        "{markdown}"
    );
    assert!(markdown.find("## Recommendations") < markdown.find("## Trends"), "{markdown}");
    let html = call("html").await;
    let html = html.as_str().unwrap();
    assert!(
        html.contains("<td>&lt;b&gt;*a*|b&lt;/b&gt; # x_1 _y_</td>")
            && html.ends_with("</article>\n"),
        "{html}"
    );
    let text = call("text").await;
    assert!(
        text.as_str()
            .unwrap()
            .contains("\nTrends\n------\n- Daily revenue is falling: -2.50 a day"),
        "{text}"
    );
    let object = call("json").await;
    assert_eq!(object["sections"][1]["table"]["rows"][0][0], name);
    assert_eq!(object["analysis"]["daily_revenue"]["total"], 15);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn fl_3_totals_and_slopes_equal_those_of_the_rows(sold in prop::collection::vec((0_i64..40, 0_usize..4, -3_i64..50, 0_i64..200_000), 1..60)) {
        // Over the end of a month.
        let date = |day: i64| if day < 10 { format!("2024-02-{:02}", 20 + day) } else { format!("2024-03-{:02}", day - 9) };
        let rows: Vec<Value> = sold
            .iter()
            .map(|(day, product, quantity, cents)| row(&date(*day % 20), &product.to_string(), *quantity, *cents as f64 / 100.0))
            .collect();
        let project = TestProject::new();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (processed, analysis) = runtime.block_on(async {
            let processed = process(&project, json!(rows), &["aggregate_by_date", "calculate_daily_revenue"]).await;
            let analysis = analyze(&project, processed.clone(), None).await;
            (processed, analysis)
        });
        let mut days: BTreeMap<i64, i64> = BTreeMap::new();
        for (day, _, quantity, cents) in &sold {
            *days.entry(*day % 20).or_default() += quantity * cents;
        }
        let cents = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
        let found: Vec<i64> = processed.as_array().unwrap().iter().map(|day| cents(&day["daily_revenue"])).collect();
        prop_assert_eq!(found, days.values().copied().collect::<Vec<_>>());
        prop_assert_eq!(cents(&analysis["daily_revenue"]["total"]), days.values().sum::<i64>());

        let (first, last) = (*days.keys().next().unwrap(), *days.keys().last().unwrap());
        let series: Vec<f64> = (first..=last).map(|day| *days.get(&day).unwrap_or(&0) as f64 / 100.0).collect();
        let count = series.len() as f64;
        let (middle, mean) = ((count - 1.0) / 2.0, series.iter().sum::<f64>() / count);
        let above: f64 = series.iter().enumerate().map(|(x, y)| (x as f64 - middle) * (y - mean)).sum();
        let below: f64 = (0..series.len()).map(|x| (x as f64 - middle).powi(2)).sum();
        let slope = if series.len() < 2 { 0.0 } else { above / below };
        prop_assert!((analysis["daily_revenue"]["slope"].as_f64().unwrap() - slope).abs() < 1e-5 * (1.0 + slope.abs()));
    }
}

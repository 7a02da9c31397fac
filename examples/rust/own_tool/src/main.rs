//! A tool that an application adds: a shop's stock, with typed parameters. Programs import it from
//! `rust://stock`; `check` knows its methods, their parameters and their effects.
//!
//! ```sh
//! cargo run
//! ```

use contexture::schemars::{self, JsonSchema};
use contexture::serde::{self, Deserialize, Serialize};
use contexture::serde_json::json;
use contexture::tool::{RustTool, ToolFailure};
use contexture::{Runtime, tokio};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The number of pieces by article.
type Shelf = Arc<Mutex<BTreeMap<String, u32>>>;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "serde")]
struct Article {
    /// The name of the article, such as `tea`.
    article: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "serde")]
struct Order {
    /// The name of the article.
    article: String,
    /// How many pieces are taken from the shelf.
    pieces: u32,
}

#[derive(Serialize)]
#[serde(crate = "serde")]
struct Stock {
    article: String,
    left: u32,
}

fn stock(shelf: Shelf) -> RustTool {
    let taken = Arc::clone(&shelf);
    RustTool::new("stock")
        .reads("left", "Returns how many pieces of an article are left.", move |query: Article| {
            let left = with(&shelf, &query.article, |left| Ok(*left));
            async move { left.map(|left| Stock { article: query.article, left }) }
        })
        .writes("take", "Takes pieces of an article from the shelf.", move |order: Order| {
            let left = with(&taken, &order.article, |left| {
                *left = left.checked_sub(order.pieces).ok_or_else(|| {
                    ToolFailure::new("too_few", format!("only {left} pieces are left"))
                        .with_help("ask `left` first")
                })?;
                Ok(*left)
            });
            async move { left.map(|left| Stock { article: order.article, left }) }
        })
}

fn with<T>(
    shelf: &Shelf,
    article: &str,
    act: impl FnOnce(&mut u32) -> Result<T, ToolFailure>,
) -> Result<T, ToolFailure> {
    let mut shelf = shelf.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match shelf.get_mut(article) {
        Some(left) => act(left),
        None => Err(ToolFailure::new("no_such_article", format!("the shop has no {article}"))),
    }
}

const PROGRAM: &str = r#"
import tool Stock from "rust://stock"
main func(input { article string }) {
  before = Stock.left({ article: input.article })
  after = Stock.take({ article: input.article, pieces: 2 })
  { before: before.left, after: after.left }
}
"#;

#[tokio::main(flavor = "current_thread", crate = "contexture::tokio")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("own-tool-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("order.as"), PROGRAM)?;
    let shelf = Arc::new(Mutex::new(BTreeMap::from([("tea".to_owned(), 5)])));
    let runtime = Runtime::builder(&folder).tool(stock(shelf)).build()?;
    let run = runtime.run("order.as").input(json!({ "article": "tea" })).await?;
    assert_eq!(run.value, json!({ "before": 5, "after": 3 }));
    let error = runtime.run("order.as").input(json!({ "article": "gold" })).await.unwrap_err();
    println!("{}\n{error}", run.value);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(crate = "contexture::tokio")]
    async fn ho_2_example_tool_passes_the_public_suite() {
        contexture::contract::tool(Arc::new(stock(Shelf::default()))).await;
    }

    #[test]
    fn ho_2_example_tool_is_used_by_a_program() {
        main().unwrap();
    }
}

//! `sales_report [FOLDER]`: makes thirty days of sales in `sales.db` of a folder, unless the file is
//! there, and prints the report.

use contexture::protocol::{Body, Limits, Message};
use contexture::{Environment, Project};
use std::error::Error;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let project = Project::open(folder.as_ref(), Environment::capture())?;
    let now = jiff::Timestamp::now().to_string();
    let asked = serde_json::json!({
        "messageId": "ask", "timestamp": now, "type": "USER_INPUT",
        "sender": {"id": "user", "type": "USER"},
        "content": {"text": "Report on the sales of the last 30 days."},
    });
    let asked = Message::parse(asked.to_string().as_bytes(), &Limits::WIRE)?;
    let [_, response] = sales_report::answer(&project, &asked, &now).await?;
    if let Body::ModelResponse(report) = response.body {
        print!("{}", report.text.unwrap_or_default());
    }
    Ok(())
}

//! The engines, each with its context built beforehand in its own type of value.

use crate::Contender;
use crate::data::{self, JINJA, JINJA_PARTIAL, OURS, OURS_PARTIAL};
use contexture_prompt::{PromptTemplate, TemplateContext};
use std::hint::black_box;

fn ours() -> (PromptTemplate, TemplateContext) {
    let mut template = PromptTemplate::compile(OURS).expect("compiles");
    template.register_partial("footer", PromptTemplate::compile(OURS_PARTIAL).expect("compiles"));
    (template, TemplateContext::from_json(&data::json()).expect("an object"))
}

fn tera() -> (tera::Tera, tera::Context) {
    let mut tera = tera::Tera::default();
    tera.autoescape_on(Vec::<&str>::new());
    tera.add_raw_templates(vec![("footer", JINJA_PARTIAL), ("main", JINJA)]).expect("compiles");
    (tera, tera::Context::from_serialize(&data::json()).expect("an object"))
}

fn upon() -> (upon::Engine<'static>, upon::Value) {
    let mut engine = upon::Engine::new();
    engine.add_template("footer", JINJA_PARTIAL).expect("compiles");
    engine.add_template("main", JINJA).expect("compiles");
    (engine, upon::to_value(data::json()).expect("plain data"))
}

fn minijinja() -> (minijinja::Environment<'static>, minijinja::Value) {
    let mut env = minijinja::Environment::new();
    env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let syntax = minijinja::syntax::SyntaxConfig::builder().keep_trailing_newline(true).build();
    env.set_syntax(syntax.expect("a syntax"));
    env.add_template("footer", JINJA_PARTIAL).expect("compiles");
    env.add_template("main", JINJA).expect("compiles");
    (env, minijinja::value::Serde(data::json()).into())
}

fn handlebars() -> (handlebars::Handlebars<'static>, handlebars::Context) {
    let mut engine = handlebars::Handlebars::new();
    engine.register_escape_fn(handlebars::no_escape);
    engine.register_template_string("footer", OURS_PARTIAL).expect("compiles");
    // Its loops name the item `this`; the fields of an item are found by bare names as here.
    engine.register_template_string("main", OURS).expect("compiles");
    (engine, handlebars::Context::wraps(data::json()).expect("plain data"))
}

/// What each engine makes of the prompt.
pub fn texts() -> Vec<(&'static str, String)> {
    let (template, ctx) = ours();
    let (tera, tera_ctx) = tera();
    let (upon, upon_ctx) = upon();
    let (env, env_ctx) = minijinja();
    let (bars, bars_ctx) = handlebars();
    vec![
        ("contexture", template.render(&ctx).expect("renders")),
        ("tera", tera.render("main", &tera_ctx).expect("renders")),
        ("upon", upon.template("main").render_from(&upon_ctx).to_string().expect("renders")),
        ("minijinja", env.get_template("main").and_then(|main| main.render(&env_ctx)).expect("renders")),
        ("handlebars", bars.render_with_context("main", &bars_ctx).expect("renders")),
    ]
}

pub fn renderers() -> Vec<Contender> {
    let (template, ctx) = ours();
    let (again, ctx_again) = ours();
    let (tera, tera_ctx) = tera();
    let (upon, upon_ctx) = upon();
    let (env, env_ctx) = minijinja();
    let (bars, bars_ctx) = handlebars();
    let (vars, items) = (data::VARS.map(|(_, value)| value), data::items());
    let (mut by_hand, mut reused) = (String::new(), String::new());
    vec![
        contender("contexture", move || template.render(&ctx).expect("renders").len()),
        contender("contexture, text reused", move || {
            reused.clear();
            again.render_into(&ctx_again, &mut reused).expect("renders");
            reused.len()
        }),
        contender("write! by hand, text reused", move || {
            by_hand.clear();
            data::with_write(&mut by_hand, black_box(&vars), black_box(&items), black_box(true));
            by_hand.len()
        }),
        contender("tera", move || tera.render("main", &tera_ctx).expect("renders").len()),
        contender("upon", move || {
            upon.template("main").render_from(&upon_ctx).to_string().expect("renders").len()
        }),
        contender("minijinja", move || {
            env.get_template("main").and_then(|main| main.render(&env_ctx)).expect("renders").len()
        }),
        contender("handlebars", move || {
            bars.render_with_context("main", &bars_ctx).expect("renders").len()
        }),
    ]
}

pub fn compilers() -> Vec<Contender> {
    let (mut tera, _) = tera();
    let upon = upon::Engine::new();
    let env = minijinja::Environment::new();
    vec![
        contender("contexture", || PromptTemplate::compile(OURS).expect("compiles").source().len()),
        contender("tera", move || {
            tera.add_raw_template("main", JINJA).expect("compiles");
            1
        }),
        contender("upon", move || upon.compile(JINJA).is_ok().into()),
        contender("minijinja", move || env.template_from_str(JINJA).is_ok().into()),
        contender("handlebars", || handlebars::Template::compile(OURS).is_ok().into()),
    ]
}

fn contender(name: &'static str, run: impl FnMut() -> usize + 'static) -> Contender {
    Contender { name, run: Box::new(run) }
}

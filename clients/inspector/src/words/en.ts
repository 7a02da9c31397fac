/** The page's texts in English. A name in braces is put in by the view. */

export const en = {
  skip: "Skip to the content", keys: "Keys", language: "Language", close: "Close", no_view: "There is no such view", all_runs: "All runs", unknown: "unknown",
  key_next: "next row", key_previous: "previous row", key_open: "opens the row", key_back: "back", key_tree: "closes and opens an event", key_help: "shows these keys",
  refused: "This could not be shown.", not_in_file: "This file does not have it: it was written with one run and what the record had of it.", free: "free", no_price: "no price",
  token: "Access token", let_in: "Continue", token_help: "It needs the permission inspect, and is kept in this tab until you close it.",

  views: "Views", usage: "Usage", loading_usage: "Adding up …", usage_by: "By", usage_step: "Per", day: "Day", hour: "Hour", place: "Place", over_time: "Over time", failures: "Failures", median: "Half took at most", most: "95 % took at most", sum: "Sum",
  unpriced: "{n} without a price", usage_more: "The newest {n|run is|# runs are} counted; there are more.", usage_of_runs: "Failures and times are those of runs. Days and hours are those of UTC.", usage_of_calls: "Failures and times are those of model calls. Days and hours are those of UTC.",
  tokens_title: "What the tokens went to", tokens_by: "By", by_label: "Label", by_source: "Source", by_line: "Line of the program", loading_tokens: "Adding up …", no_calls_here: "The run has no model call.", part: "Part", prompts: "Prompts",

  loading: "Loading …", more: "Show more", older: "Show older ones", name: "Name", kind: "Kind", trust: "Trust",
  flows: "Flows", no_flows: "No run of a set is kept here.", steps: "Steps", all_steps: "all", context: "Context", ended: "Ended", pause: "Pause", resume: "Resume", cancel: "Cancel", picture_of: "The steps of the set and what they wait for: {n}; the list below has each", tries: "{n} attempts", condition: "Condition", nothing_there: "nothing", parameters: "Parameters", result: "Result", reason: "Reason",
  waits: "What waits", more_waits: "The oldest {n} are shown; there are more.", wait_question: "question", wait_call: "call", what_is_asked: "What is asked", allow: "Allow", deny: "Deny", result_json: "Result of the call, as JSON", give_answer: "Answer",
  evals: "Evals", evals_sum: "{passed} passed, {failed} failed, {skipped} skipped", case: "Case", no_variant: "No variant", outcome_passed: "passed", outcome_failed: "failed", outcome_error: "error", outcome_skipped: "skipped",
  contexts: "Contexts", no_contexts: "No context matches.", owner: "Owner", changed_at: "Changed", version: "Version", messages: "Messages", state: "State", fork: "Fork it", transcript: "Transcript as Markdown", state_gone: "The log begins after version {n} with what was there; earlier states are not kept.", caused_by: "caused by",
  knowledge: "Knowledge", no_packs: "The project has no knowledge pack.", pack_uses: "used {n|once|# times}", guide: "Guide", sections: "Sections: {n}", not_text: "Not text:", file: "File", heading: "Heading", question: "A question", search: "Search", no_hits: "Nothing in the pack matches.",

  runs: "Runs", loading_runs: "Loading runs …", no_runs: "No run matches.", all_shown: "{n|The only run is|All # runs are} shown.", some_shown: "{n|1 run is|# runs are} shown.", more_runs: "Show more runs",
  program: "Program", outcome: "Outcome", text: "Text", since: "Began since", until: "Began before", any: "any", filter: "Filter",
  compare: "Compare the two runs", compare_none: "Select two runs to compare them.", compare_one: "Select one more run to compare.", compare_this: "Compare run {run}",
  started: "Started", calls: "Model calls", tokens_in_out: "Tokens in / out", cost: "Cost", duration: "Duration",
  completed: "completed", failed: "failed", cancelled: "cancelled", interrupted: "interrupted", running: "running",

  loading_run: "Loading the run …", model: "Model", tokens_in: "Tokens in", tokens_out: "Tokens out", cached: "Cached tokens", record: "Record", trace: "Trace (OpenTelemetry)",
  dead: "This run has no end: its process was ended before it finished. What it recorded until then is shown.", growing: "This run is under way; the page grows with it. Lines so far: {n}",
  timeline: "Timeline", timeline_help: "Bars beside each other ran at the same time. ◈ marks the critical path: what the run waited for.", loading_events: "Loading …", some_events: "{shown} of the {all} events in #{id} are loaded.", some_of_run: "{shown|1 event|# events} of the run {shown|is|are} loaded; there are more.", load_all: "Load all", unfinished: "no end", critical: "critical path",
  details: "Details", select_event: "Select an event to see its details.", open_prompt: "Open the prompt of call {n}",
  kind_run: "run", kind_agent: "agent", kind_generate: "model call", kind_tool: "tool", kind_memory: "memory", kind_knowledge: "knowledge", kind_use: "use", kind_for: "loop", kind_parallel_for: "parallel loop",
  kind_iteration: "iteration", kind_input: "input", kind_file: "file", kind_warning: "warning", kind_progress: "progress", kind_release: "release", kind_error: "error", kind_other: "event",

  loading_call: "Loading the call …", loading_prompt: "Loading the prompt …", loading_text: "Loading the text …",
  call_title: "Model call {n} of {calls}", previous_call: "Previous call", next_call: "Next call", prompt: "Prompt", no_messages: "The record has no messages of this call.",
  message: "Message {n}, {role}", tokens_unit: "tokens", tokens_n: "{n|1 token|# tokens}", more_characters: "Show {n|1 more character|# more characters}", part_of: "{from} to {to} of {total}", previous_part: "Previous part", next_part: "Next part", jump_to: "Go to",
  layer_identity: "Identity", layer_instruction: "Instruction", layer_contract: "Contract of the answer", tools: "Offered tools", definitions: "Definitions as sent", rest: "Labels and separators",
  tokens_of: "{tokens} of at most {max|1 token|# tokens}", tokens_without: "{tokens|1 token|# tokens}, without a limit for the whole prompt", inexact: "Counted with {tokenizer}, as the model's own tokenizer is not public.",
  of_budget: "{tokens|1 token|# tokens}, budget {budget}", before_cut: "cut from {before} to {now|1 token|# tokens}", left_out: "Left out:", removed: "{n|1 token|# tokens} removed:", kept_of: "{kept} of {of|1 entry|# entries} kept.",
  cut_item_budget: "its own budget is {limit}.", cut_prompt_budget: "the budget of the whole prompt left it {limit}.", cut_plan_data: "a plan sees no data.",
  cut_items: "Cut:", items: "Items", no_items: "The program declared no items for this call.", none_gave_way: "No item was left out wholly.", gave_way: "Items left out wholly: {n}", gone_wholly: "not in the prompt", came_later: "later: from a tool that the model called",
  show_value: "Show the whole value", hide_value: "Hide the value", from: "from", score: "score", priority: "priority",
  packs: "Knowledge packs", ranked: "Selected by a question", not_selected: "not selected", left_out_of_question: "Not shown: {texts|1 text|# texts}, {passages|1 passage|# passages}", masked: "Masked secrets",
  stands_in: "stands word for word in", answer_stands_in: "The answer stands word for word in", cites: "cites", answer_cites: "The answer cites",
  answer: "Answer", no_answer: "The record has no answer.", empty_answer: "The answer is empty.", asked_tools: "The model called:", attempt: "Attempt {n}", added_messages: "Messages added to the prompt: {n}", errors: "Errors in the answer", retried: "Retried after:", passed_over: "Passed over:",
  from_record: "from the record", kept_record: "From the record of the first run: nothing was asked or done for it here.", kept_cache: "The answer to the same request before in this run: no model was asked.",
  finish: "Finish reason", latency: "Latency", max_output: "Most tokens out", schema: "Schema sent as", options: "Options as sent",
  why_title: "Why is this not in the prompt?", why_label: "A label, file, pack or text", why_ask: "Ask the record", line: "line {n}",
  why_present: "It is in the prompt.", why_cut: "It is in the prompt, but it was cut.", why_gave_way: "It was left out, as the budget had no room for it.", why_not_selected: "The question of its use did not select it.",
  why_out_of_scope: "It was declared where this call does not see it.", why_not_declared: "The program declares nothing of this name for the call.", why_denied: "The policy denied it.",

  try_title: "What would change?", try_help: "Edit the program, such as a budget, a choice or an instruction. Its prompts are made again with the answers of the record; no model and no tool is asked, and nothing is written.", try_ask: "Compare the prompts", try_undo: "Undo all edits", trying: "Making the prompts …",
  try_model: "Model to ask", try_model_own: "that of the program", part_of_run: "The changed prompts asked of a model, as a part of run", ask_title: "What would the model say?", ask_offer: "{n|1 call|# calls} would be asked of {models}, and {later|1 later one if the new answers change its prompt|# later ones if the new answers change their prompts}: at most {most} in all. All else keeps its recorded answer, and no tool does anything again.", ask_again: "Compare the prompts again to ask a model about these edits.", ask_model: "Ask the model", ask_yes: "Ask, for at most {most}", ask_no: "Do not ask", ask_not: "The model can't be asked:",
  try_same: "{n|The prompt would not|None of the # prompts would} change.", try_changed: "{n} of {all|1 prompt|# prompts} would change.", try_stale: "{n|1 later answer may be another|# later answers may be others} then.", recorded: "Recorded", tried: "With the edits", try_model_only: "the same prompt for another model:", patch: "The edits as a patch", copy: "Copy", copied: "Copied.", not_copied: "The browser does not let the page copy: select the text.",

  differences: "Differences", loading_diff: "Loading the differences …", left: "Left", right: "Right", no_calls: "Neither run has a model call.", no_difference: "No prompt differs.",
  differ_at: "The first difference is at {site}.", first_difference: "first difference", call_number: "call {n}", not_there: "This run does not have it.", too_long: "The text has {size}, too much to show here; the calls above show it.",
  change_added: "added", change_gone: "gone", change_changed: "changed", change_cut: "cut differently", change_same: "same",

  trust_program: "written in the program", trust_user: "from the user", trust_model: "from a model", trust_memory: "from memory", trust_resource: "from a resource", trust_tool: "from a tool", trust_external: "from an outside file", trust_web: "from the web",
} as const;

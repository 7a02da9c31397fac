// The views over the made-up records: what each shows, by sight and by keys.
import assert from "node:assert/strict";
import { HOSTILE, TICKET } from "../support/record.mjs";

const WIDTHS = [360, 1_280, 2_560];
const VIEWS = [["runs", "#/"], ["run", "#/runs/run_today"], ["call", "#/runs/run_today/calls/1"], ["diff", "#/diff/run_yesterday/run_today"], ["usage", "#/usage"], ["flows", "#/flows"], ["flow", "#/flows/flow_1"],
  ["contexts", "#/contexts"], ["context", "#/contexts/ctx_%E4%BC%9A%E8%AE%AE?owner=ada"], ["knowledge", "#/knowledge"], ["pack", "#/knowledge/acme-product-brief", "knowledge"], ["evals", "#/evals"], ["eval", "#/evals/base.json", "evals"]];

const READY = {
  runs: "document.querySelectorAll('tbody tr').length > 50", run: "document.querySelectorAll('[role=treeitem]').length >= 11",
  call: "document.querySelectorAll('.message').length === 2", diff: "document.querySelectorAll('.call-diff').length === 3",
  usage: "document.querySelectorAll('table').length === 2",
  flows: "document.querySelectorAll('tbody tr').length === 2", flow: "document.querySelectorAll('.list details').length === 3 && document.querySelectorAll('.waits article').length === 2 && document.querySelector('.picture img')?.naturalWidth > 0",
  contexts: "document.querySelectorAll('tbody tr').length === 2", context: "document.querySelectorAll('.said').length === 2 && document.querySelector('aside .block')",
  knowledge: "document.querySelectorAll('article').length === 2", pack: "document.querySelectorAll('tbody tr').length === 3",
  evals: "document.querySelectorAll('tbody tr').length === 2", eval: "document.querySelectorAll('.cell').length === 6",
};

export async function views(driver, server) {
  await looks(driver);
  await runs(driver);
  await tabbed(driver);
  await run(driver);
  await many(driver);
  await growing(driver, server);
  await call(driver);
  await long(driver);
  await diff(driver);
  await sums(driver);
  await kept(driver);
  await steps(driver);
  await tried(driver, server);
  await hostile(driver);
  await odd(driver);
  await chinese(driver);
  // Last, as what waits is answered.
  await waiting(driver, server);
}

async function sums(driver) {
  const { page } = driver;
  await driver.open("#/runs/run_today", "run");
  await page.until("document.querySelector('.shares summary')");
  await page.value("document.querySelector('.shares summary').click()");
  await page.until("document.querySelectorAll('.treemap .tile').length === 4", "the picture has the parts with tokens");
  const parts = await driver.texts(".shares tbody tr td:nth-child(3)");
  assert.equal(parts.map((text) => Number(text.replaceAll(",", ""))).reduce((sum, one) => sum + one), 1_700);
  assert.equal(await driver.text(".shares tfoot td:nth-child(3)"), "1,700");
  for (const scheme of ["light", "dark"]) {
    await driver.look(360, scheme);
    await driver.fits(`shares in ${scheme}`);
    await driver.accessible(`shares in ${scheme}`);
    await driver.look(1_280, scheme);
    await driver.shot(`shares-1280-${scheme}`, true);
  }
  await driver.look(1_280, "light");
  driver.ok("the tokens of a run are a picture and a table, whose parts add up");

  await driver.open("#/usage?by=model&step=hour", "usage");
  await page.until("document.querySelectorAll('.sum-bar').length === 5");
  assert.equal(await driver.text("thead th"), "Model");
  assert.match(await driver.text("tfoot tr"), /22\s+70\s+3\s+94,000 \/ 5,200\s+12,000\s+0.282 USD\s*2 without a price/);
  assert.match(await driver.text(".note"), /newest 22 runs/);
  await page.value("document.querySelector('select[name=by]').value = 'place', document.querySelector('.filters .primary').click()");
  await page.until("location.hash === '#/usage?by=place&step=hour'");
  driver.ok("usage is shown by what and per what the address says");
}

async function kept(driver) {
  const { page } = driver;
  await driver.open("#/flows/flow_1", "flow");
  await page.until(READY.flow);
  await page.value("document.querySelectorAll('.list summary')[1].click(), document.querySelectorAll('.list summary')[0].click()");
  await page.until("document.querySelectorAll('.list .block').length >= 3");
  const steps = await driver.texts(".list details");
  assert.match(steps[0], /fetch http_get COMPLETED\s*2 attempts/);
  assert.match(steps[0], /flow_1\/fetch\/2/);
  assert.match(steps[1], /dependencies\.fetch\.result\.score > 5\s+dependencies\.fetch\.result\.score = 7/);
  assert.deepEqual(await driver.texts("section > .steps button"), ["Pause", "Resume", "Cancel"]);
  driver.ok("a flow has its picture, its steps with attempts and keys, and what a condition read");

  await driver.open("#/contexts/ctx_%E4%BC%9A%E8%AE%AE?owner=ada", "context");
  await page.until(READY.context);
  assert.match(await driver.text("aside .block"), /version 5/);
  await page.value("(() => { const range = document.querySelector('input[type=range]'); range.value = 3; range.dispatchEvent(new Event('input', { bubbles: true })); })()");
  await page.until("document.querySelector('aside .block')?.innerText.includes('version 3')", "the state of another version");
  assert.match(await driver.text("aside li"), /UPDATE_STATE topic .* caused by m2/);
  await page.value(`(() => { const make = URL.createObjectURL; URL.createObjectURL = (file) => (file.text().then((text) => (globalThis.taken = text)), make(file)); })()`);
  await page.value("[...document.querySelectorAll('.steps button')].find((one) => one.innerText === 'Transcript as Markdown').click()");
  await page.until("globalThis.taken === '# 会议\\n'", "the transcript is handed over");
  driver.ok("a context has its transcript, and its state at each version with what caused it");

  await driver.open("#/knowledge/acme-product-brief", "knowledge");
  await page.until(READY.pack);
  await page.value("document.querySelector('input[name=q]').value = 'price', document.querySelector('.filters .primary').click()");
  await page.until("document.querySelectorAll('article').length === 1");
  assert.match(await driver.text("article"), /^3\.25 documents\/prices\.md#L10-L12/);
  assert.equal(await page.value("document.title"), "Contexture inspector");
  await driver.open("#/evals/base.json", "evals");
  await page.until(READY.eval);
  const rows = await driver.texts(".matrix tr");
  assert.match(rows[0], /Case\s+small\s+large/);
  assert.match(rows[1], /翻译\s+✓ passed[^]*✕ failed[^]*matches: <script>[^]*✓ passed/);
  assert.match(rows[2], /refund\s+⚠ error[^]*AS9030[^]*– skipped/);
  assert.equal(await page.value("document.querySelector('.cell a').getAttribute('href')"), "#/runs/run_passed");
  driver.ok("an eval has its cases by variants, and a cell leads to its run");
  driver.ok("a pack has its sections, and a question finds some with their scores");
}

/** Runs of sets of many steps: as many as a picture shows, and as many as only a table does (IN-11). */
async function steps(driver) {
  const { page } = driver;
  await driver.open("#/flows/flow_of_400", "flow");
  await page.until("document.querySelectorAll('.list details').length === 400 && document.querySelector('.picture img')", "400 steps");
  assert.equal(await page.value("document.querySelectorAll('[data-view] .parts').length"), 0, "they are shown at once");
  await page.value("document.querySelector('.list details:last-child summary').click()");
  await page.until("document.querySelector('.list details:last-child').innerText.includes('发货 🙂 步骤_399')");

  await driver.open("#/flows/flow_of_10000", "flow");
  const ready = (first) => `document.querySelectorAll('tbody tr').length === 400 && document.querySelector('tbody tr').innerText.includes('步骤_${first}\t')`;
  await page.until(ready(0), "the first of 10,000 steps");
  assert.equal(await driver.text(".parts [role=status]"), "1 to 400 of 10,000");
  assert.match(await driver.text("tbody tr"), /步骤_0\s+http_get\s+COMPLETED\s+8\.5 ms/);
  assert.equal(await page.value("document.querySelectorAll('.picture, .list').length"), 0);
  const press = (name) => page.value(`[...document.querySelectorAll('.parts button')].find((one) => one.innerText === ${JSON.stringify(name)}).click()`);
  for (let first = 400; first < 10_000; first += 400) {
    await press("Next part");
    await page.until(ready(first), `the steps from ${first}`);
  }
  assert.equal(await driver.text(".parts [role=status]"), "9,601 to 10,000 of 10,000");
  assert.equal(await page.value("[...document.querySelectorAll('.parts button')].at(-1).disabled"), true);
  await page.key("j");
  await page.key("Enter");
  await page.until("document.querySelector('tbody').innerText.includes('发货 🙂 步骤_9600') && document.querySelector('tbody').innerText.includes('flow_of_10000:步骤_9600')", "a row is opened by keys");
  for (const width of WIDTHS) {
    await driver.look(width, "dark");
    await driver.fits(`10,000 steps at ${width}`);
    await driver.accessible(`10,000 steps at ${width}`);
    await driver.shot(`steps-${width}-dark`);
  }
  await driver.look(1_280, "light");
  await press("Previous part");
  await page.until(ready(9_200), "the part before");
  assert.deepEqual(await driver.texts(".choices button"), ["all 10,000", "COMPLETED 9,996", "FAILED 4"]);
  const told = await page.value("(async () => { [...document.querySelectorAll('.choices button')].at(-1).click(); await new Promise((done) => queueMicrotask(() => requestAnimationFrame(done))); return document.querySelector('.parts [role=status]')?.innerText ?? ''; })()");
  assert.doesNotMatch(told, / of 4$/, "what is still shown says what it is of");
  await page.until("document.querySelectorAll('tbody tr').length === 4", "the steps that failed");
  assert.deepEqual(await driver.texts("tbody tr"), [2_499, 4_999, 7_499, 9_999].map((index) => `▸ 步骤_${index}\thttp_get\tFAILED\t8.5 ms`));
  assert.deepEqual(await driver.texts("[aria-pressed=true]"), ["FAILED 4"]);
  await driver.accessible("the steps that failed");
  await driver.shot("steps-failed-1280-light");
  await driver.quiet("runs of sets of many steps");
  driver.ok("400 steps are shown with their picture, 10,000 as a table by parts and by their state");
}

async function tried(driver, server) {
  const { page } = driver;
  await driver.open("#/runs/run_today/calls/1", "call");
  await page.until("document.querySelector('.tried summary')");
  await page.value("document.querySelector('.tried summary').click()");
  await page.until("document.querySelector('.tried textarea')");
  assert.deepEqual(await driver.texts(".tried form .steps:first-child button"), ["ticket line 12", "policy line 13", "history line 14", "generate line 21"]);
  await page.value("document.querySelectorAll('.tried .steps button')[1].click()");
  const selected = await page.value("(() => { const area = document.activeElement; return area.value.slice(area.selectionStart, area.selectionEnd); })()");
  assert.equal(selected, "    use input.ticket as ticket", "the button of an item selects its line");
  await page.value("document.querySelector('.tried button.primary').click()");
  await page.until("document.querySelector('.tried [role=status]').innerText.includes('The prompt would not change')");
  await page.value("(() => { const area = document.querySelector('.tried textarea'); area.value = area.value.replace('max 1000', 'max 4000'); })()");
  await page.value("document.querySelector('.tried button.primary').click()");
  await page.until("document.querySelector('.tried .call-diff')");
  const told = await driver.text(".tried");
  assert.match(told, /1 of 2 prompts would change\. 1 later answer may be another then\.[^]*AS9030[^]*1,310 → 2,040 tokens \(\+730\)[^]*cut differently policy[^]*Recorded[^]*With the edits[^]*Returns are free/);
  assert.match(told, /The edits as a patch\s+Copy[^]*\+ {4}use Policy max 4000 as policy/);
  for (const scheme of ["light", "dark"]) {
    for (const width of WIDTHS) {
      await driver.look(width, scheme);
      await driver.fits(`tried at ${width} in ${scheme}`);
      await driver.accessible(`tried at ${width} in ${scheme}`);
      await driver.shot(`tried-${width}-${scheme}`, true);
    }
  }
  await driver.look(1_280, "light");
  const typed = (selector, more) => page.value(`(() => { const field = document.querySelector(${JSON.stringify(selector)}); field.value += ${JSON.stringify(more)}; field.dispatchEvent(new Event("input", { bubbles: true })); })()`);
  const emptied = (selector, end) => page.value(`(() => { const field = document.querySelector(${JSON.stringify(selector)}); field.value = field.value.slice(0, field.value.length - ${end}); field.dispatchEvent(new Event("input", { bubbles: true })); })()`);
  for (const field of [".tried input", ".tried textarea"]) {
    await typed(field, "x");
    await page.until("!document.querySelector('.offer') && document.querySelector('.tried').innerText.includes('Compare the prompts again')", `the offer is gone once ${field} is another`);
    await emptied(field, 1);
    await page.until("document.querySelector('.offer')", "what was offered is there for what was compared");
  }
  driver.ok("an offer is gone where the model or the program was edited after it");
  assert.match(told, /1 call would be asked of openai:[^]*and 1 later one if the new answers change its prompt[^]*at most 0\.0125 USD in all/);
  const press = (name) => page.value(`[...document.querySelectorAll('.offer button')].find((one) => one.innerText === ${JSON.stringify(name)}).click()`);
  await press("Ask the model");
  await page.until("document.querySelector('.offer button.primary')");
  await driver.accessible("an offer to ask a model");
  await press("Do not ask");
  await page.until("document.querySelectorAll('.offer button').length === 1");
  await press("Ask the model");
  await page.until("document.querySelector('.offer button.primary')");
  await press("Ask, for at most 0.0125 USD");
  await page.until("location.hash === '#/runs/run_today'", "the new run is shown");
  const [[of, body]] = server.asked;
  assert.deepEqual([of, body.agreed.cost, body.text.includes("max 4000")], ["run_today", 0.0125, true]);
  await driver.quiet("a program that is tried");
  driver.ok("an edited program says which prompts it would change, and gives the edits as a patch");
}

async function waiting(driver, server) {
  const { page } = driver;
  await driver.open("#/flows/flow_1", "flow");
  await page.until("document.querySelectorAll('.waits article').length === 2");
  await driver.accessible("what waits");
  await driver.shot("waits-1280-light", true);
  await page.value("[...document.querySelectorAll('.waits button')].find((one) => one.innerText === 'Deny').click()");
  await page.until("document.querySelectorAll('.waits article').length === 1", "the question is answered");
  await page.value("document.querySelector('.waits textarea').value = '{', document.querySelector('.waits form button').click()");
  await page.until("document.querySelector('.waits .refused')", "what is not JSON is not sent");
  await page.value("document.querySelector('.waits textarea').value = '{\"file\": \"文件\"}', document.querySelector('.waits form button').click()");
  await page.until("!document.querySelector('.waits')", "nothing waits any more");
  assert.deepEqual(server.answers, [["POST", "ask", { status: "SUCCESS", result: { allowed: false } }], ["POST", "pick", { status: "SUCCESS", result: { file: "文件" } }]]);
  await driver.quiet("what waits");
  driver.ok("questions and calls that wait are shown and answered, and the page hears of it");
}

async function looks(driver) {
  for (const scheme of ["light", "dark"]) {
    for (const width of WIDTHS) {
      await driver.look(width, scheme);
      for (const [view, hash, root = view] of VIEWS) {
        const name = `${view}-${width}-${scheme}`;
        await driver.open(hash, root);
        await driver.page.until(READY[view], name);
        await driver.fits(name);
        await driver.accessible(name);
        await driver.shot(name, true);
      }
      driver.ok(`every view at ${width} in ${scheme}: axe finds nothing, nothing is wider than the window`);
    }
  }
  await driver.look(1_280, "light");
}

async function runs(driver) {
  const { page } = driver;
  await driver.open("#/", "runs");
  await page.until("document.querySelectorAll('tbody tr').length === 100");
  for (let index = 0; index < 3; index += 1) {
    await page.value("document.querySelector('[data-view] > button')?.scrollIntoView()");
    await page.until(`document.querySelectorAll('tbody tr').length >= ${Math.min(242, 100 * (index + 2))}`, "more runs come into view");
  }
  assert.equal((await driver.texts("[data-view] > p[role=status]"))[0], "All 242 runs are shown.");
  assert.match(await driver.text("tbody tr:nth-child(5)"), /failed\s*answer_invalid The answer of the model/);
  driver.ok("all runs are shown, page by page, the errors of failed ones too");

  await page.value("document.querySelector('tbody tr:nth-child(1) input').click(), document.querySelector('tbody tr:nth-child(2) input').click()");
  await page.until("document.querySelector('.compare a')");
  assert.equal(await page.value("document.querySelector('.compare a').getAttribute('href')"), "#/diff/run_yesterday/run_today");
  driver.ok("two runs lead to their differences, the older one on the left");

  await page.value(`document.querySelector('select[name="outcome"]').value = "failed"`);
  await page.value("document.querySelector('.filters button').click()");
  await page.until("document.querySelectorAll('tbody tr').length === 2 && location.hash === '#/?outcome=failed'");
  await driver.open("#/", "runs");
  await page.click('input[name="program"]');
  await page.type("会议纪要.as");
  await page.key("Enter");
  await page.until("document.querySelectorAll('tbody tr').length === 1 && location.hash.includes('program=')");
  assert.match(await driver.text("tbody tr"), /示例\/会议纪要\.as/);
  assert.equal(await page.value("document.querySelector('input[name=program]').value"), "会议纪要.as");
  await driver.open("#/?model=local&since=2026-03-13T00:00&until=2026-03-14T00:00", "runs");
  await page.until("document.querySelector('main').innerText.includes('The only run is shown.')", "runs of a model and a day");
  assert.deepEqual(await page.value("['model', 'since', 'until'].map((name) => document.querySelector(`input[name=${name}]`).value)"), ["local", "2026-03-13T00:00", "2026-03-14T00:00"]);
  assert.equal(await page.value("document.querySelector('tbody a').getAttribute('href')"), "#/runs/run_yesterday");
  driver.ok("runs are filtered by their model and their time");

  await driver.open("#/?outcome=failed", "runs");
  await page.value("document.querySelector('input[name=program]').value = 'typed'");
  await page.until("document.querySelectorAll('tbody tr').length === 2");
  assert.deepEqual(await page.value("[...document.querySelectorAll('.filters input, .filters select')].map(({ value }) => value)"), ["typed", "failed", "", "", "", ""], "what is typed while runs are loading stays");
  driver.ok("a filter by program is part of the address");

  await driver.open("#/", "runs");
  await page.until("document.querySelectorAll('tbody tr').length === 100");
  for (const key of ["j", "j", "k"]) await page.key(key);
  assert.equal(await page.value("document.activeElement.getAttribute('href')"), "#/runs/run_today");
  await page.key("Enter");
  await page.until("document.querySelector('[data-view=run]') && document.activeElement.id === 'main'", "the new view has the focus");
  await page.key("Escape");
  await page.until("document.querySelector('[data-view=runs]')");
  await page.key("?");
  await page.until("document.querySelector('dialog').open");
  await driver.accessible("the keys");
  await page.key("Escape");
  await page.until("!document.querySelector('dialog').open");
  assert.equal(await page.value("document.querySelector('[data-view]').dataset.view"), "runs");
  driver.ok("j, k, Enter, Esc and ? do what the page says");
}

/** Tab goes through a view in the order of the page, and what has the focus is in sight and marked (IN-16). */
async function tabbed(driver) {
  const { page } = driver;
  const focused = `(() => {
    const one = document.activeElement;
    const { x, y, width, height } = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    const marked = (style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 2) || one.matches("main");
    const seen = width > 0 && height > 0 && y + height > 0 && y < innerHeight && x + width > 0 && x < innerWidth;
    globalThis.places ??= new Map();
    if (!places.has(one)) places.set(one, places.size);
    const after = places.size < 2 ? true : Boolean([...places.keys()].at(-2).compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
    return { name: one.tagName + " " + one.outerHTML.slice(0, 90), number: places.get(one), marked, seen, after, body: one === document.body };
  })()`;
  for (const [width, scheme] of [[360, "light"], [1_280, "dark"]]) {
    await driver.look(width, scheme);
    for (const [view, hash, root = view] of VIEWS) {
      await driver.open(hash, root);
      await page.until(READY[view], view);
      // From the address bar, as the browser does.
      await page.value("document.activeElement.blur()");
      for (let step = 0; step < 60; step += 1) {
        await page.key("Tab");
        const found = await page.value(focused);
        // At the end the focus leaves the page, or begins again.
        if (found.body || found.number !== step) break;
        const where = `${view} at ${width} in ${scheme}: ${found.name}`;
        assert.ok(found.marked, `${where} is not marked`);
        assert.ok(found.seen, `${where} is not in sight`);
        assert.ok(found.after, `${where} stands before what had the focus`);
      }
      assert.ok((await page.value("places.size")) >= 8, `the parts of ${view} are reached by Tab`);
      await page.value("delete globalThis.places");
    }
  }
  await driver.look(1_280, "light");
  driver.ok("Tab goes through every view in its order, and what has the focus is seen and marked");
}

async function run(driver) {
  const { page } = driver;
  await driver.open("#/runs/run_today", "run");
  await page.until("document.querySelectorAll('[role=treeitem]').length === 11");
  const rows = await driver.texts("[role=treeitem] .what");
  assert.match(rows[8].replace(/\s+/g, " "), /use policy · Policy/);
  assert.match(rows[5].replace(/\s+/g, " "), /tool File\.read\(path: docs\/policy\.md\)/);
  const bars = await page.value(`[5, 6].map((id) => { const { left, right } = document.querySelector("#event-" + id + " .bar-of").getBoundingClientRect(); return [left, right]; })`);
  assert.ok(bars[0][1] > bars[1][0] && bars[1][1] > bars[0][1], `the tools' bars lie beside each other: ${JSON.stringify(bars)}`);
  assert.deepEqual(await page.value("[...document.querySelectorAll('.bar-of.critical')].map((one) => one.closest('[role=treeitem]').id)"), ["event-1", "event-3", "event-4", "event-6", "event-8", "event-10"]);
  assert.match(await driver.text(".facts"), /Tokens in\s+1,310[^]*Cost\s+0\.00124 USD[^]*Trace \(OpenTelemetry\)\s+9f86d081884c7d659a2feaa0c55ad015/);
  driver.ok("the timeline has each event, what ran side by side, and the critical path");

  await page.key("j");
  for (const key of ["j", "j", "j", "j", "ArrowLeft"]) await page.key(key);
  await page.until("document.querySelectorAll('[role=treeitem]').length === 7", "the loop is closed");
  for (const key of ["ArrowRight", "ArrowUp", "End", "k", "Enter"]) await page.key(key);
  await page.until("location.hash === '#/runs/run_today/calls/1'", "Enter opens the model call");
  driver.ok("the timeline is used by keys alone");
}

async function many(driver) {
  const { page } = driver;
  await driver.open("#/runs/run_many", "run");
  await page.until("document.querySelectorAll('[role=treeitem]').length >= 2");
  await page.click("#event-2 .says");
  await page.key("ArrowRight");
  await page.until("document.querySelector('.track').clientHeight > 200 * 30", "the first ones are there");
  for (let known = 200; known < 1_000; known += 200) {
    await page.value("document.querySelector('.rows').scrollTop = 1e9");
    await page.until(`document.querySelector('.track').clientHeight > ${known + 200} * 30`, "more events come into view");
  }
  await page.value("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Load all').click()");
  await page.until("document.querySelector('.track').clientHeight === 100000 * 30", "all events are there", 150);
  await page.value("document.querySelector('.rows').focus()");
  await page.key("End");
  await page.until("document.querySelector('[role=treeitem][aria-selected=true]')?.innerText.includes('99997')", "the last one");
  assert.ok((await page.value("document.querySelectorAll('.row').length")) < 80, "only the rows in view exist");
  const rows = await page.value(`(async () => {
    const began = performance.now();
    for (const key of ["Home", "End", "ArrowUp", "Home", "ArrowDown"]) {
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
    return (performance.now() - began) / 5;
  })()`);
  console.log(`   a key takes ${rows.toFixed(0)} ms`);
  assert.ok(rows < 1_000, `a key among 100,000 events takes ${rows} ms`);
  await page.send("HeapProfiler.enable");
  await page.send("HeapProfiler.collectGarbage");
  const { usedSize } = await page.send("Runtime.getHeapUsage");
  console.log(`   the page takes ${(usedSize / 1e6).toFixed(0)} MB`);
  assert.ok(usedSize < 150e6, `the page takes ${usedSize} bytes`);
  await page.send("HeapProfiler.disable");
  driver.ok("of a run of 100,000 events only the rows in view exist, and the page takes less than 150 MB");

  const first = [];
  for (let tried = 0; tried < 3; tried += 1) {
    await page.open("about:blank");
    await page.open(`${driver.url}#/runs/run_many`);
    await page.until("document.querySelector('[role=treeitem]')");
    first.push(await page.value("performance.now()"));
  }
  console.log(`   the first rows are there after ${Math.min(...first).toFixed(0)} ms`);
  assert.ok(Math.min(...first) < 1_000, `the first rows are there after ${first} ms`);
  driver.ok("a run of 100,000 events is there within a second");
}

async function growing(driver, server) {
  const { page } = driver;
  await driver.open("#/runs/run_live", "run");
  await page.until("document.querySelectorAll('[role=treeitem]').length === 4");
  assert.match(await driver.text(".head"), /running[^]*under way/);
  server.finish();
  await page.until("document.querySelectorAll('[role=treeitem]').length === 11 && document.querySelector('.outcome').innerText.includes('completed')", "the run has grown and ended");
  driver.ok("a run under way grows, and its end is shown");
  await driver.open("#/runs/run_dead", "run");
  await page.until("document.querySelectorAll('[role=treeitem]').length === 10");
  assert.match(await driver.text(".head"), /interrupted[^]*This run has no end/);
  assert.match(await driver.text("#event-10"), /no end/);
  driver.ok("a dead run says so");
}

async function call(driver) {
  const { page } = driver;
  await driver.open("#/runs/run_today/calls/1", "call");
  await page.until(READY.call);
  const sent = await page.value("[...document.querySelectorAll('.message')].map((one) => [...one.querySelectorAll('.sent-text')].map((row) => row.textContent).join(''))");
  const expected = await page.value("fetch('v1/runs/run_today/calls/1/prompt').then((answer) => answer.json()).then(({ messages }) => messages.map(({ text }) => text))");
  assert.deepEqual(sent, expected, "the messages are exact");
  assert.equal(await driver.text("#item-0"), TICKET);
  const notes = await driver.texts(".margin-note");
  assert.ok(notes.some((note) => /2 policy[^]*Policy · agents\/support\.as:13[^]*from a tool[^]*1,000 tokens, budget 1,000 tokens[^]*cut from 1,730 to 1,000 tokens[^]*its own budget is 1,000 tokens/.test(note)), notes.join("\n"));
  assert.match(await driver.text(".items .gone"), /history\s*not in the prompt[^]*the budget of the whole prompt left it 0 tokens/);
  const widths = await page.value("[...document.querySelectorAll('.share')].reduce((sum, one) => sum + one.getBoundingClientRect().width, 0) / document.querySelector('.token-bar').clientWidth");
  assert.ok(Math.abs(widths - 1_310 / 1_400) < 0.01, `the bar is filled as the budget is: ${widths}`);
  assert.match(await driver.text(".side"), /days: expected a number, found a string[^]*Attempt 2[^]*"days": 1/);
  driver.ok("the prompt is exact, each item is named where it stands, with its cut and the reason");

  await page.value("[...document.querySelectorAll('.items button')].find((one) => one.innerText === 'Show the whole value').click()");
  await page.until("document.querySelector('.cut-text')?.innerText.includes('Returns are free for thirty days.')", "the cut text is opened");
  await page.click('.why input');
  await page.type("history");
  await page.key("Enter");
  await page.until("document.querySelector('.why-answer').innerText.includes('left out, as the budget had no room')");
  assert.match(await driver.text(".why-answer"), /line 14[^]*history has priority 0/);
  driver.ok("what was cut can be opened, and why something is not there is answered");
}

async function long(driver) {
  const { page } = driver;
  await driver.open("#/runs/run_long/calls/1", "call");
  await page.until("document.querySelector('.sent-text')?.textContent.startsWith('一行文字')");
  assert.match(await driver.text(".parts"), /^0 B to 65\.5 kB of 10\.\d MB/);
  await page.value(`(() => { const select = document.querySelector('.parts select'); select.value = "0"; select.dispatchEvent(new Event("change", { bubbles: true })); })()`);
  await page.until("document.querySelector('#item-0')?.textContent.endsWith('299999')", "the item in the last part");
  driver.ok("a message of 10 MB is shown by parts, and an item is found in it");
}

async function diff(driver) {
  const { page } = driver;
  await driver.open("#/diff/run_yesterday/run_today", "diff");
  await page.until(READY.diff);
  assert.match(await driver.text("[data-view] .lead"), /first difference is at agents\/support\.as:21:5/);
  assert.deepEqual((await driver.texts(".tag.first")).length, 1);
  assert.match(await page.value("document.querySelector('.tag.first').closest('li').innerText"), /cut differently policy[^]*Returns are free/);
  assert.match((await driver.texts(".call-diff")).at(-1), /added[^]*– → call 3/);
  await page.value("[...document.querySelectorAll('.parts-list button')].find((one) => one.innerText.includes('目录')).click()");
  await page.until("document.body.innerText.includes('目录:发货、退货') && document.body.innerText.includes('This run does not have it.')");
  await driver.open("#/diff/run_today/run_today", "diff");
  await page.until("document.body.innerText.includes('Neither run has a model call.')");
  driver.ok("differences are paired, the first one is marked, both texts open beside each other");
}

async function hostile(driver) {
  const { page } = driver;
  for (const [view, hash, sign] of [["runs", "#/?q=script", "tbody .sign"], ["run", "#/runs/run_hostile", ".says .sign"], ["call", "#/runs/run_hostile/calls/1", ".sent-text .sign"]]) {
    await driver.open(hash, view);
    await page.until(`document.querySelector('${sign}')`, `signs of ${view}`);
    assert.equal(await page.value("document.querySelectorAll('main img, main script').length"), 0);
    assert.match(await driver.text("main"), /<script>document\.title = "hacked"<\/script>[^]*⟦U\+202E⟧evil⟦U\+202C⟧ ⟦U\+E0041⟧/);
    assert.equal(await page.value("/[\\u202A-\\u202E]/.test(document.querySelector('main').textContent)"), false, "no sign that turns text around is left");
    await driver.fits(`hostile ${view}`);
    await driver.accessible(`hostile ${view}`);
    await driver.quiet(`hostile ${view}`);
    await driver.shot(`hostile-${view}`);
  }
  await driver.open(`#/${encodeURIComponent(HOSTILE)}`, "unknown");
  await driver.quiet("a hostile address");
  driver.ok("markup and turning signs in every field are shown, and do nothing");
}

async function odd(driver) {
  const { page } = driver;
  await driver.open("#/runs/run_old", "run");
  await page.until("document.querySelectorAll('[role=treeitem]').length === 2");
  await driver.open("#/runs/run_old/calls/1", "call");
  await page.until("document.querySelector('.sent-text')?.textContent === 'An old record.'");
  await driver.open("#/runs/run_damaged", "run");
  await page.until("document.querySelector('.note')?.innerText.includes('Line 7 of the record is damaged')");
  await driver.quiet("odd records");
  await driver.open("#/runs/run_torn", "run");
  assert.equal(await driver.text("h1"), "run_torn", "a record without its beginning has a heading");
  await driver.open("#/runs/run_torn/calls/1", "call");
  await page.until("document.querySelectorAll('.items li').length >= 3", "the items, though a text is missing");
  assert.match(await driver.text("main"), /text_missing The store has no text[^]*policy[^]*cut from 1,730 to 1,000 tokens[^]*not in the prompt/);
  await driver.accessible("a call without its texts");
  assert.ok(page.complaints.every((one) => one.includes("404")), page.complaints.join("\n"));
  page.complaints.length = 0;
  await driver.page.open("about:blank");
  await page.open(`${driver.url}#/runs/nothing`);
  await page.until("document.querySelector('.refused')?.innerText.includes('run_unknown There is no run nothing.')");
  for (const [view, hash, heading] of [["run", "#/runs/nothing", "nothing"], ["call", "#/runs/run_today/calls/9", "call 9"], ["flow", "#/flows/nothing", "nothing"], ["context", "#/contexts/nothing?owner=ada", "nothing"]]) {
    await driver.open(hash, view);
    assert.equal(await driver.text("h1"), heading, hash);
    assert.ok(await driver.text(".refused"), hash);
    await driver.accessible(`${hash}, which is not there`);
  }
  assert.ok(page.complaints.every((one) => one.includes("404")), page.complaints.join("\n"));
  page.complaints.length = 0;
  driver.ok("older, damaged and unknown runs say what they are");
}

async function chinese(driver) {
  const { page } = driver;
  await driver.open("#/", "runs");
  await page.value(`(() => { const select = document.querySelector('.bar select'); select.value = "zh"; select.dispatchEvent(new Event("change", { bubbles: true })); })()`);
  await page.until("document.querySelector('h1').innerText === '运行' && document.documentElement.lang === 'zh'");
  await driver.look(360, "light");
  for (const [view, hash, root = view] of VIEWS) {
    await driver.open(hash, root);
    await page.until(READY[view]);
    assert.doesNotMatch(await driver.text("[data-view]"), /\{\w+\}|\b(Show|Loading|Select|Offered)\b/, `${view} in Chinese`);
    await driver.fits(`${view} in Chinese`);
    await driver.accessible(`${view} in Chinese`);
    await driver.shot(`${view}-360-zh`, true);
  }
  await page.value("localStorage.clear()");
  driver.ok("the page is there in Chinese");
}

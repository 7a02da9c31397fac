/** The page's texts in Chinese. */

import type { Word } from "./words.js";

export const zh: Record<Word, string> = {
  skip: "跳到内容", keys: "快捷键", language: "语言", close: "关闭", no_view: "没有这个页面", all_runs: "全部运行", unknown: "未知",
  key_next: "下一行", key_previous: "上一行", key_open: "打开该行", key_back: "返回", key_tree: "收起和展开事件", key_help: "显示快捷键",
  refused: "无法显示此内容。", not_in_file: "此文件中没有：它只包含一次运行及当时记录的内容。", free: "免费", no_price: "没有价格",
  token: "访问令牌", let_in: "继续", token_help: "令牌需要 inspect 权限，只保存在此标签页中，关闭后即失效。",

  views: "页面", usage: "用量", loading_usage: "正在汇总……", usage_by: "分组", usage_step: "时间单位", day: "日", hour: "小时", place: "位置", over_time: "随时间变化", failures: "失败", median: "半数不超过", most: "95% 不超过", sum: "合计",
  unpriced: "{n} 个没有价格", usage_more: "已统计最近的 {n} 个运行，还有更早的。", usage_of_runs: "失败次数和耗时按运行计算。日和小时均为 UTC。", usage_of_calls: "失败次数和耗时按模型调用计算。日和小时均为 UTC。",
  tokens_title: "token 用在哪里", tokens_by: "分组", by_label: "标签", by_source: "来源", by_line: "程序行", loading_tokens: "正在汇总……", no_calls_here: "此运行没有模型调用。", part: "部分", prompts: "提示词",

  loading: "正在加载……", more: "显示更多", older: "显示更早的", name: "名称", kind: "类型", trust: "可信度",
  flows: "流程", no_flows: "这里没有保存指令集的运行。", steps: "步骤", all_steps: "全部", context: "上下文", ended: "结束时间", pause: "暂停", resume: "继续", cancel: "取消", picture_of: "指令集的步骤及其依赖：{n}；下面的列表包含每一步", tries: "尝试 {n} 次", condition: "条件", nothing_there: "无", parameters: "参数", result: "结果", reason: "原因",
  waits: "等待处理", more_waits: "仅显示最早的 {n} 个，还有更多。", wait_question: "询问", wait_call: "调用", what_is_asked: "询问内容", allow: "允许", deny: "拒绝", result_json: "调用结果（JSON）", give_answer: "回答",
  evals: "评测", evals_sum: "通过 {passed}，未通过 {failed}，跳过 {skipped}", case: "用例", no_variant: "无变体", outcome_passed: "通过", outcome_failed: "未通过", outcome_error: "错误", outcome_skipped: "跳过",
  contexts: "上下文列表", no_contexts: "没有符合条件的上下文。", owner: "所有者", changed_at: "修改时间", version: "版本", messages: "消息", state: "状态", fork: "创建分支", transcript: "下载对话记录（Markdown）", state_gone: "日志从版本 {n} 之后开始，更早的状态没有保存。", caused_by: "起因",
  knowledge: "知识包", no_packs: "项目中没有知识包。", pack_uses: "使用 {n} 次", guide: "说明", sections: "章节：{n}", not_text: "非文本：", file: "文件", heading: "标题", question: "问题", search: "搜索", no_hits: "知识包中没有匹配的内容。",

  runs: "运行", loading_runs: "正在加载运行……", no_runs: "没有符合条件的运行。", all_shown: "已显示全部 {n} 个运行。", some_shown: "已显示 {n} 个运行。", more_runs: "显示更多运行",
  program: "程序", outcome: "结果", text: "文本", since: "开始时间不早于", until: "开始时间早于", any: "不限", filter: "筛选",
  compare: "比较这两个运行", compare_none: "选择两个运行进行比较。", compare_one: "再选择一个运行进行比较。", compare_this: "比较运行 {run}",
  started: "开始时间", calls: "模型调用", tokens_in_out: "输入 / 输出 token", cost: "费用", duration: "时长",
  completed: "已完成", failed: "失败", cancelled: "已取消", interrupted: "已中断", running: "运行中",

  loading_run: "正在加载运行……", model: "模型", tokens_in: "输入 token", tokens_out: "输出 token", cached: "缓存 token", record: "记录", trace: "跟踪 ID（OpenTelemetry）",
  dead: "此运行没有结束：进程在完成之前被终止。下面显示此前的记录。", growing: "此运行正在进行，页面会随之更新。目前行数：{n}",
  timeline: "时间线", timeline_help: "并排的条形表示同时运行。◈ 标出关键路径，即运行所等待的部分。", loading_events: "正在加载……", some_events: "已加载 #{id} 中 {all} 个事件的 {shown} 个。", some_of_run: "已加载运行的 {shown} 个事件，还有更多。", load_all: "全部加载", unfinished: "未结束", critical: "关键路径",
  details: "详情", select_event: "选择一个事件查看详情。", open_prompt: "打开第 {n} 次调用的提示词",
  kind_run: "运行", kind_agent: "智能体", kind_generate: "模型调用", kind_tool: "工具", kind_memory: "记忆", kind_knowledge: "知识", kind_use: "引用", kind_for: "循环", kind_parallel_for: "并行循环",
  kind_iteration: "轮次", kind_input: "输入", kind_file: "文件", kind_warning: "警告", kind_progress: "进度", kind_release: "放行", kind_error: "错误", kind_other: "事件",

  loading_call: "正在加载调用……", loading_prompt: "正在加载提示词……", loading_text: "正在加载文本……",
  call_title: "第 {n} 次模型调用，共 {calls} 次", previous_call: "上一次调用", next_call: "下一次调用", prompt: "提示词", no_messages: "记录中没有此调用的消息。",
  message: "消息 {n}，{role}", tokens_unit: "token", tokens_n: "{n} token", more_characters: "再显示 {n} 个字符", part_of: "第 {from} 至 {to}，共 {total}", previous_part: "上一部分", next_part: "下一部分", jump_to: "转到",
  layer_identity: "身份", layer_instruction: "指令", layer_contract: "回答的约定", tools: "可用工具", definitions: "发送的定义", rest: "标签和分隔",
  tokens_of: "{tokens} token，上限 {max}", tokens_without: "{tokens} token，整个提示词没有上限", inexact: "用 {tokenizer} 计数，因为模型自己的分词器没有公开。",
  of_budget: "{tokens} token，预算 {budget}", before_cut: "从 {before} 裁剪到 {now} token", left_out: "未放入：", removed: "去掉 {n} token：", kept_of: "保留 {of} 项中的 {kept} 项。",
  cut_item_budget: "它自己的预算是 {limit}。", cut_prompt_budget: "整个提示词的预算只给它留下 {limit}。", cut_plan_data: "计划看不到数据。",
  cut_items: "被裁剪：", items: "条目", no_items: "程序没有为此调用声明条目。", none_gave_way: "没有条目被完全去掉。", gave_way: "被完全去掉的条目：{n}", gone_wholly: "不在提示词中", came_later: "稍后加入：来自模型调用的工具",
  show_value: "显示完整的值", hide_value: "隐藏值", from: "来自", score: "得分", priority: "优先级",
  packs: "知识包", ranked: "按问题选择", not_selected: "未选中", left_out_of_question: "未显示：{texts} 个文本，{passages} 个段落", masked: "被遮盖的机密",
  stands_in: "原文见", answer_stands_in: "回答的原文见", cites: "引用了", answer_cites: "回答引用了",
  answer: "回答", no_answer: "记录中没有回答。", empty_answer: "回答是空的。", asked_tools: "模型调用了：", attempt: "第 {n} 次尝试", added_messages: "加到提示词的消息：{n}", errors: "回答中的错误", retried: "重试原因：", passed_over: "跳过的模型：",
  from_record: "来自记录", kept_record: "来自第一次运行的记录：这里没有为它询问或执行任何操作。", kept_cache: "本次运行中此前相同请求的回答：没有询问模型。",
  finish: "结束原因", latency: "延迟", max_output: "输出上限", schema: "模式的发送形式", options: "发送的选项",
  why_title: "为什么它不在提示词中？", why_label: "标签、文件、知识包或文本", why_ask: "查询记录", line: "第 {n} 行",
  why_present: "它在提示词中。", why_cut: "它在提示词中，但被裁剪过。", why_gave_way: "预算放不下，它被去掉了。", why_not_selected: "引用它的问题没有选中它。",
  why_out_of_scope: "它声明的位置对此调用不可见。", why_not_declared: "程序没有为此调用声明这个名字。", why_denied: "策略拒绝了它。",

  try_title: "改动会带来什么？", try_help: "编辑程序，例如预算、选择或指令。提示词将用记录中的回答重新生成；不会询问模型或工具，也不会写入任何内容。", try_ask: "比较提示词", try_undo: "撤销全部编辑", trying: "正在生成提示词……",
  try_model: "要询问的模型", try_model_own: "程序中的模型", part_of_run: "向模型询问了已改变的提示词，属于运行", ask_title: "模型会怎么回答？", ask_offer: "将向 {models} 询问 {n} 个调用；如果新回答改变之后的提示词，还会询问另外 {later} 个：总共最多 {most}。其余保留记录中的回答，工具不会再次执行任何操作。", ask_again: "再次比较提示词，才能就这些编辑询问模型。", ask_model: "询问模型", ask_yes: "询问，最多 {most}", ask_no: "不询问", ask_not: "无法询问模型：",
  try_same: "{n} 个提示词都不会改变。", try_changed: "{all} 个提示词中有 {n} 个会改变。", try_stale: "之后的 {n} 个回答届时可能不同。", recorded: "记录", tried: "编辑后", try_model_only: "提示词相同，模型不同：", patch: "编辑内容的补丁", copy: "复制", copied: "已复制。", not_copied: "浏览器不允许页面复制：请选中文本。",

  differences: "差异", loading_diff: "正在加载差异……", left: "左", right: "右", no_calls: "两个运行都没有模型调用。", no_difference: "提示词没有差异。",
  differ_at: "第一处差异在 {site}。", first_difference: "第一处差异", call_number: "第 {n} 次调用", not_there: "此运行没有它。", too_long: "文本有 {size}，太长，无法在此显示；上面的调用会显示它。",
  change_added: "新增", change_gone: "消失", change_changed: "改变", change_cut: "裁剪不同", change_same: "相同",

  trust_program: "写在程序中", trust_user: "来自用户", trust_model: "来自模型", trust_memory: "来自记忆", trust_resource: "来自资源", trust_tool: "来自工具", trust_external: "来自外部文件", trust_web: "来自网络",
};

// 从会议记录中提取决定与待办事项。标识符可以是任何文字。
//
//   contexture run examples/会议纪要.as --input '{"路径":"examples/data/会议记录.txt"}'

import tool 文件 from "file://workspace"

main agent 秘书 {
  role "一位严谨的会议秘书"
  description "只写会议记录中有的内容。"

  main func(input { 路径 string }) {
    记录 = 文件.read({ path: input.路径 })
    use 记录 max 2k as 会议记录

    generate({ input: "整理会议的主题、决定和待办事项。", attempts: 2 }) -> {
      主题 string
      /// 会议作出的决定
      决定 list[string]
      /// 待办事项
      待办 list[string]
    }
  }
}

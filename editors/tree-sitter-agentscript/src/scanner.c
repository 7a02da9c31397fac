// What the tokens ahead decide about a word or a bracket in AgentScript: whether it stands on the
// line of the token before it, and whether a word is a keyword here or a name. The rules are those of
// the compiler's parser (crates/script/src/syntax/parser); each function says which it follows.
//
// The scanner keeps no state. Nothing it does depends on the locale: beyond ASCII, a character counts
// as part of a word unless it is punctuation or space.

#include "tree_sitter/parser.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// In the order of `externals` in grammar.js.
enum TokenType {
  CALL_OPEN,
  INDEX_OPEN,
  SAME_LINE,
  NEW_LINE,
  LABEL,
  LOOP,
  REPEAT,
  PROGRESS,
  FAIL,
  MODEL,
  ROLE,
  DESCRIPTION,
  POLICY,
  PARALLEL,
  TRY,
  USE_MAX,
  USE_KEEP,
  USE_PRIORITY,
  USE_FOR,
  USE_AS,
  UNIT,
  CANDIDATE_MAX,
  CANDIDATE_KEEP,
  CANDIDATE_SELECTED,
  EMPTY,
  ONE,
  BEST,
  USE_SELECTED,
  SELECTED_PART,
  CODE,
  MIN,
  MAX,
  LENGTH,
  PATTERN,
  ERROR,
};

// A token ahead, as far as a decision needs it.
enum Kind { END, WORD, NUMBER, STRING, ASSIGN, COLON, DOT, COMMA, PAREN, BRACKET, BRACE, CLOSE_BRACE, CLOSER, PLUS, MINUS, STAR, SLASH, OTHER };

// Longer than any keyword; the rest of a longer word is skipped.
#define WORD_SIZE 16

typedef struct {
  enum Kind kind;
  bool starts_line;
  char word[WORD_SIZE];
} Token;

// Builds for WebAssembly have few functions of the C library, and not `strchr`.
static bool is_one_of(int32_t c, const char *signs) {
  while (*signs != '\0' && c != *signs) signs++;
  return *signs != '\0';
}

static void step(TSLexer *lexer) { lexer->advance(lexer, false); }

static bool is_line_end(int32_t c) { return c == '\n' || c == '\r'; }

static bool is_space(int32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static bool is_ascii_letter(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// General punctuation, CJK punctuation and the full-width forms of ASCII signs.
static bool is_foreign_sign(int32_t c) {
  bool full_width = (c >= 0xFF01 && c <= 0xFF0F) || (c >= 0xFF1A && c <= 0xFF20) || (c >= 0xFF3B && c <= 0xFF40) ||
                    (c >= 0xFF5B && c <= 0xFF65);
  return full_width || (c >= 0x80 && c <= 0xBF && c != 0xAA && c != 0xB5 && c != 0xBA) || (c >= 0x2010 && c <= 0x2BFF) ||
         (c >= 0x3001 && c <= 0x3020);
}

static bool is_word_start(int32_t c) {
  return c == '_' || is_ascii_letter(c) || (c >= 0x80 && !is_space(c) && !is_foreign_sign(c));
}

static bool is_word_char(int32_t c) { return is_word_start(c) || is_digit(c); }

// Reads a word; what does not fit into `word` is skipped, and makes it equal to no keyword.
static void read_word(TSLexer *lexer, char word[WORD_SIZE]) {
  size_t length = 0;
  while (is_word_char(lexer->lookahead)) {
    int32_t c = lexer->lookahead;
    if (length < WORD_SIZE - 1) word[length++] = c < 0x80 ? (char)c : '?';
    step(lexer);
  }
  word[length] = '\0';
}

static bool is(const Token *token, const char *word) { return token->kind == WORD && strcmp(token->word, word) == 0; }

static void skip_line(TSLexer *lexer) {
  while (!lexer->eof(lexer) && !is_line_end(lexer->lookahead)) step(lexer);
}

static enum Kind sign(int32_t c) {
  switch (c) {
    case ':': return COLON;
    case '.': return DOT;
    case ',': return COMMA;
    case '(': return PAREN;
    case '[': return BRACKET;
    case '{': return BRACE;
    case '}': return CLOSE_BRACE;
    case ')':
    case ']': return CLOSER;
    case '"':
    case '\'': return STRING;
    default: return OTHER;
  }
}

// Takes an operator; `OTHER` also for a comparison. A comment sets `comment` instead.
static enum Kind read_operator(TSLexer *lexer, bool *comment) {
  int32_t first = lexer->lookahead;
  step(lexer);
  int32_t second = lexer->lookahead;
  *comment = second == first && (first == '-' || first == '/');
  if (first == '=') return second == '=' ? OTHER : ASSIGN;
  if (second == '=') return ASSIGN;
  switch (first) {
    case '+': return PLUS;
    case '-': return second == '>' ? OTHER : MINUS;
    case '*': return STAR;
    default: return first == '/' ? SLASH : OTHER;
  }
}

// Returns the next token. Of strings and numbers only the beginning is taken, so that no decision
// looks behind one.
static Token next(TSLexer *lexer) {
  Token token = {END, false, ""};
  for (;;) {
    int32_t c = lexer->lookahead;
    if (lexer->eof(lexer)) return token;
    if (is_space(c)) {
      token.starts_line |= is_line_end(c);
      step(lexer);
    } else if (is_word_start(c)) {
      token.kind = WORD;
      read_word(lexer, token.word);
      return token;
    } else if (is_digit(c)) {
      token.kind = NUMBER;
      return token;
    } else if (c == '=' || c == '+' || c == '-' || c == '*' || c == '/' || c == '%') {
      bool comment = false;
      token.kind = read_operator(lexer, &comment);
      if (!comment) return token;
      skip_line(lexer);
    } else {
      token.kind = sign(c);
      step(lexer);
      return token;
    }
  }
}

static bool is_name_again(const Token *after) { return after->kind == ASSIGN || after->kind == COLON; }

// `loop` and `repeat` (Parser::is_keyword_here).
static bool begins_loop(const Token *after) {
  switch (after->kind) {
    case ASSIGN:
    case DOT:
    case CLOSE_BRACE:
    case END:
    case PLUS:
    case MINUS:
    case SLASH: return false;
    case PAREN:
    case BRACKET: return after->starts_line;
    case WORD: return !after->starts_line;
    default: return true;
  }
}

// `model NAME`, `policy CLASS "verdict"`, `role "…"` (Parser::config). A value that is wrong there
// also makes the word a keyword, so that the fault is one.
static bool begins_setting(TSLexer *lexer, const Token *after, bool any_line) {
  if (after->kind == STRING) return any_line || !after->starts_line;
  if (after->starts_line || is(after, "and") || is(after, "or")) return false;
  if (after->kind == NUMBER) return true;
  if (after->kind != WORD) return false;
  Token value = next(lexer);
  return value.kind != ASSIGN || value.starts_line;
}

// The clauses of a `use` (Parser::is_clause).
static bool begins_clause(const Token *after, bool starts_line, bool is_keep) {
  if (is_name_again(after)) return false;
  if (!starts_line) return true;
  bool fits = is_keep ? after->kind == WORD : after->kind == NUMBER || after->kind == MINUS;
  return fits && !after->starts_line;
}

static bool begins_question(TSLexer *lexer, const Token *after, bool starts_line) {
  if (starts_line) return false;
  if (after->kind != WORD) return true;
  Token second = next(lexer);
  return !is(&second, "in");
}

// A unit behind the number of a budget (Parser::unit).
static bool is_unit(const Token *after, bool starts_line) {
  bool call = after->kind == PAREN && !after->starts_line;
  return !starts_line && !is_name_again(after) && after->kind != DOT && !call;
}

// `empty` alone (Parser::is_bare_word).
static bool is_bare(const Token *after) {
  switch (after->kind) {
    case WORD:
    case COMMA:
    case CLOSE_BRACE:
    case END: return true;
    default: return after->starts_line && after->kind != DOT;
  }
}

static bool begins_one_of(TSLexer *lexer, const Token *after) {
  if (!is(after, "of")) return false;
  return next(lexer).kind == BRACE;
}

// What is selected of the bounds of a `use` (Parser::selects).
static bool begins_selection(const Token *after) {
  if (after->starts_line) return false;
  return after->kind == NUMBER || is(after, "best") || is(after, "head") || is(after, "tail") || is(after, "middle");
}

// The value of a bound behind its word (Parser::bound_word).
static bool is_number(const Token *after) {
  return (after->kind == NUMBER || after->kind == MINUS) && !after->starts_line;
}

typedef struct {
  const char *word;
  enum TokenType type;
} Keyword;

static const Keyword KEYWORDS[] = {
    {"loop", LOOP},
    {"repeat", REPEAT},
    {"progress", PROGRESS},
    {"fail", FAIL},
    {"model", MODEL},
    {"role", ROLE},
    {"description", DESCRIPTION},
    {"policy", POLICY},
    {"parallel", PARALLEL},
    {"try", TRY},
    {"max", USE_MAX},
    {"keep", USE_KEEP},
    {"priority", USE_PRIORITY},
    {"for", USE_FOR},
    {"as", USE_AS},
    {"chars", UNIT},
    {"tokens", UNIT},
    {"max", CANDIDATE_MAX},
    {"keep", CANDIDATE_KEEP},
    {"selected", CANDIDATE_SELECTED},
    {"empty", EMPTY},
    {"one", ONE},
    {"best", BEST},
    {"selected", USE_SELECTED},
    {"head", SELECTED_PART},
    {"tail", SELECTED_PART},
    {"middle", SELECTED_PART},
    {"code", CODE},
    {"min", MIN},
    {"max", MAX},
    {"length", LENGTH},
    {"pattern", PATTERN},
};

static bool decide(TSLexer *lexer, enum TokenType type, bool starts_line) {
  Token after = next(lexer);
  switch (type) {
    case LOOP:
    case REPEAT: return begins_loop(&after);
    case PROGRESS:
    case FAIL: return after.kind == STRING && !after.starts_line;
    case MODEL:
    case POLICY: return begins_setting(lexer, &after, false);
    case ROLE:
    case DESCRIPTION: return begins_setting(lexer, &after, true);
    case PARALLEL: return is(&after, "for");
    case TRY: return after.kind == BRACE;
    case USE_MAX:
    case USE_PRIORITY: return begins_clause(&after, starts_line, false);
    case USE_KEEP: return begins_clause(&after, starts_line, true);
    case USE_FOR: return begins_question(lexer, &after, starts_line);
    case USE_AS: return !(starts_line && (after.starts_line || after.kind == ASSIGN));
    case UNIT: return is_unit(&after, starts_line);
    case CANDIDATE_MAX:
    case CANDIDATE_KEEP:
    case CANDIDATE_SELECTED: return !is_name_again(&after);
    case EMPTY: return is_bare(&after);
    case ONE: return begins_one_of(lexer, &after);
    case BEST: return after.kind == NUMBER;
    case SELECTED_PART: return !starts_line;
    case USE_SELECTED: return !starts_line && begins_selection(&after);
    case CODE: return !starts_line;
    case MIN:
    case MAX:
    case LENGTH: return !starts_line && is_number(&after);
    case PATTERN: return !starts_line && after.kind == STRING && !after.starts_line;
    default: return false;
  }
}

static bool finish(TSLexer *lexer, enum TokenType type) {
  lexer->result_symbol = type;
  return true;
}

static bool scan_keyword(TSLexer *lexer, const bool *valid, bool starts_line) {
  char word[WORD_SIZE];
  read_word(lexer, word);
  for (size_t i = 0; i < sizeof KEYWORDS / sizeof KEYWORDS[0]; i++) {
    if (!valid[KEYWORDS[i].type] || strcmp(word, KEYWORDS[i].word) != 0) continue;
    lexer->mark_end(lexer);
    return decide(lexer, KEYWORDS[i].type, starts_line) && finish(lexer, KEYWORDS[i].type);
  }
  return false;
}

// Reads a word of a bare label: letters, digits and marks, with `-` or an apostrophe between them.
// Returns false when it is none, or a clause that must stand before `as`.
static bool label_word(TSLexer *lexer, bool *comment) {
  char word[WORD_SIZE];
  for (;;) {
    if (!is_word_char(lexer->lookahead)) return false;
    read_word(lexer, word);
    lexer->mark_end(lexer);
    int32_t c = lexer->lookahead;
    if (c != '-' && c != '\'' && c != 0x2019) break;
    step(lexer);
    *comment = c == '-' && lexer->lookahead == '-';
    if (*comment) break;
  }
  return strcmp(word, "max") != 0 && strcmp(word, "keep") != 0 && strcmp(word, "priority") != 0;
}

// The bare words behind `as`, up to the end of the line, a comment or a closing bracket
// (Lexer::label, Parser::bare_label).
static bool scan_label(TSLexer *lexer) {
  bool comment = false;
  do {
    if (!label_word(lexer, &comment)) return false;
    while (is_space(lexer->lookahead) && !is_line_end(lexer->lookahead)) step(lexer);
  } while (!comment && is_word_char(lexer->lookahead));
  int32_t c = lexer->lookahead;
  if (!comment && (c == '-' || c == '/')) {
    step(lexer);
    comment = lexer->lookahead == c;
  }
  bool closer = c == '}' || c == ')' || c == ']';
  return (comment || closer || lexer->eof(lexer) || is_line_end(c)) && finish(lexer, LABEL);
}

// A value or type on the line of the token before it.
static bool begins_here(TSLexer *lexer) {
  int32_t c = lexer->lookahead;
  if (lexer->eof(lexer) || is_one_of(c, "})],:?;=|")) return false;
  if (c != '-' && c != '/') return true;
  step(lexer);
  return lexer->lookahead != c;
}

// Whether what begins a line is another field: not the end of the shape, and not the rest of a type.
// A comment is taken first.
static bool begins_field(TSLexer *lexer) {
  int32_t c = lexer->lookahead;
  return !lexer->eof(lexer) && !is_one_of(c, "}),:?|/-");
}

void *tree_sitter_agentscript_external_scanner_create(void) { return NULL; }
void tree_sitter_agentscript_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_agentscript_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_agentscript_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

bool tree_sitter_agentscript_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  // While a fault is skipped, all is valid and nothing is known.
  if (valid[ERROR]) return false;
  // The tokens without text end here.
  lexer->mark_end(lexer);
  bool starts_line = false;
  while (is_space(lexer->lookahead)) {
    starts_line |= is_line_end(lexer->lookahead);
    lexer->advance(lexer, true);
  }
  int32_t c = lexer->lookahead;
  if (valid[NEW_LINE] && starts_line && begins_field(lexer)) return finish(lexer, NEW_LINE);
  if (!starts_line && ((c == '(' && valid[CALL_OPEN]) || (c == '[' && valid[INDEX_OPEN]))) {
    step(lexer);
    lexer->mark_end(lexer);
    return finish(lexer, c == '(' ? CALL_OPEN : INDEX_OPEN);
  }
  if (valid[SAME_LINE]) return !starts_line && begins_here(lexer) && finish(lexer, SAME_LINE);
  if (valid[LABEL]) return !starts_line && is_word_char(c) && scan_label(lexer);
  return is_word_start(c) && scan_keyword(lexer, valid, starts_line);
}

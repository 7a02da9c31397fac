//! The names behind the classes, and how names are compared.

use super::PathClass;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization as _;

/// The folder of Contexture's own records.
pub(super) const STATE: &str = ".contexture";

/// What runs code or instructs agents: version control and its hooks, Contexture's settings, CI,
/// editors, agents, shells, package managers. A `*` stands for the rest of a name, a `/` for a file
/// in a folder; what lies in a named folder has its class.
const PROTECTED: &str = "
.git .gitattributes .gitconfig .gitmodules .githooks .husky .lefthook .hg .hgrc .svn .jj .bzr
lefthook.yml lefthook.yaml lefthook.toml .pre-commit-config.yaml .pre-commit-config.yml
.overcommit.yml
contexture.toml contexture.lock
.github .gitlab .gitlab-ci.yml .gitlab-ci.yaml .gitea .forgejo .circleci .travis.yml .buildkite
.woodpecker .woodpecker.yml .woodpecker.yaml .drone.yml .cirrus.yml .appveyor.yml appveyor.yml
.teamcity .builds azure-pipelines.yml bitbucket-pipelines.yml cloudbuild.yaml cloudbuild.yml
buildspec.yml jenkinsfile
.vscode .vscode-server .idea .fleet .zed .vs .vim .vimrc .nvim .nvimrc .nvim.lua .exrc .emacs
.emacs.d .dir-locals.el .devcontainer .devcontainer.json
claude.md claude.local.md .claude .claude.json agents.md agents.override.md .agents gemini.md
.gemini .cursor .cursorrules .cursorignore .windsurf .windsurfrules .clinerules .cline .roo
.roorules .roomodes .codex .aider* .continue .continuerules .junie .kiro .amazonq .augment
.goosehints .opencode opencode.json opencode.jsonc .mcp.json copilot-instructions.md
qwen.md .qwen crush.md .crush .crush.json crush.json warp.md .warp .trae .kilocode .kilocodemodes
.factory .rules .rooignore .aiassistant .openhands .agentrules *.code-workspace
.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
.zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .tmux.conf .screenrc .xinitrc .xprofile
.xsession .xsessionrc .pam_environment .direnvrc .config/direnv .mise.toml mise.toml .mise .tool-versions .config/fish .config/autostart
.config/git .config/systemd .config/nvim autorun.inf
.yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .cargo .bundle .gemrc .condarc
pip.conf pip.ini .pip .mvn .gradle .pythonrc sitecustomize.py usercustomize.py .bazelrc
.buckconfig .sdkmanrc
";

/// What holds credentials.
const SECRET: &str = "
.env* *.env #.env* _netrc .netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .git-credentials
.gitcookies .htpasswd .vault-token .boto .s3cfg .passwd-s3fs .dockercfg .dockerconfigjson
.docker/config.json .kube kubeconfig .aws .azure .gcloud .oci .ssh .gnupg .gpg .password-store
.terraformrc .terraform.d terraform.tfstate* *.tfstate *.tfvars .databrickscfg .snowsql
.config/gcloud .config/gh .config/glab-cli .config/hub .config/op .config/doctl .config/rclone
rclone.conf .cargo/credentials* .gem/credentials .composer/auth.json .m2/settings.xml
.m2/settings-security.xml .gradle/gradle.properties .codex/auth.json .claude/.credentials.json
.gemini/oauth_creds.json .netlify/config.json .vercel/auth.json *.pem *.key *.p12 *.pfx *.p8
*.jks *.keystore *.kdbx *.ppk *.agekey *.keytab id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519
id_ed25519_sk credentials.json client_secret* service-account*.json service_account*.json
application_default_credentials.json .secret* secrets.json secrets.toml secrets.yaml secrets.yml
secrets.env master.key .bash_history .zsh_history .python_history .node_repl_history
.psql_history .mysql_history .sqlite_history .rediscli_history
";

/// The names, ready to be looked up.
#[derive(Default)]
struct Table {
    names: HashMap<&'static str, PathClass>,
    /// The short forms that some file systems give to long names: `GIT~1`.
    short: HashMap<String, PathClass>,
    /// The beginning and the end of a name.
    ends: Vec<(&'static str, &'static str, PathClass)>,
    /// A folder and the beginning and the end of a name in it.
    inside: Vec<(&'static str, &'static str, &'static str, PathClass)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    table.add(STATE, PathClass::Private);
    PROTECTED.split_whitespace().for_each(|name| table.add(name, PathClass::Protected));
    SECRET.split_whitespace().for_each(|name| table.add(name, PathClass::Secret));
    table
});

impl Table {
    fn add(&mut self, name: &'static str, class: PathClass) {
        if let Some((folder, name)) = name.split_once('/') {
            let (begin, end) = name.split_once('*').unwrap_or((name, ""));
            let end = if name.contains('*') { end } else { "\0" };
            self.inside.push((folder, begin, end, class));
            return;
        }
        let whole = name.split_once('*').map_or(name, |(begin, _)| begin);
        if !whole.is_empty() {
            let known = self.short.entry(short(whole)).or_insert(class);
            *known = class.max(*known);
        }
        match name.split_once('*') {
            Some((begin, end)) => self.ends.push((begin, end, class)),
            None => drop(self.names.insert(name, class)),
        }
    }

    fn class(&self, folder: Option<&str>, name: &str) -> PathClass {
        let open = PathClass::Open;
        let whole = self.names.get(name).copied().unwrap_or(open);
        let stem = name
            .split_once('~')
            .filter(|(_, number)| number.starts_with(|sign: char| sign.is_ascii_digit()));
        let stem = stem.and_then(|(stem, _)| self.short.get(stem)).copied().unwrap_or(open);
        let ends = self.ends.iter().filter(|(begin, end, _)| fits(name, begin, end));
        let ends = ends.map(|(_, _, class)| *class).max().unwrap_or(open);
        let inside = self.inside.iter().filter(|(above, begin, end, _)| {
            folder == Some(above)
                && if *end == "\0" { name == *begin } else { fits(name, begin, end) }
        });
        let inside = inside.map(|(_, _, _, class)| *class).max().unwrap_or(open);
        whole.max(stem).max(ends).max(inside)
    }
}

fn fits(name: &str, begin: &str, end: &str) -> bool {
    name.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end))
}

/// Returns the first six signs that the short form of a name begins with.
fn short(name: &str) -> String {
    let name = name.trim_start_matches('.');
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.chars().filter(|sign| *sign != '.').take(6).collect()
}

/// Returns the strictest class of the names of a path.
pub(super) fn class(parts: &[&str]) -> PathClass {
    let mut strictest = PathClass::Open;
    let mut folder: Option<Cow<'_, str>> = None;
    for part in parts {
        let name = fold(part);
        strictest = strictest.max(TABLE.class(folder.as_deref(), &name));
        folder = Some(name);
    }
    strictest
}

/// Reports whether a file in `.contexture` may be a memory: those of Contexture's own records have
/// other names.
pub(super) fn is_memory(name: &str) -> bool {
    const OWN: [&str; 4] = ["usage.jsonl", "audit.jsonl", "contexts.db", "flows.db"];
    let name = fold(name);
    let is_store = [".jsonl", ".db", ".sqlite", ".sqlite3"].iter().any(|end| name.ends_with(end));
    is_store && !OWN.contains(&&*name)
}

/// Returns the names of a path; both slashes part them, since one of them may be a name elsewhere.
pub(super) fn parts_of(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."))
}

/// Returns a name as the most lenient file system reads it: without case, look-alike and invisible
/// characters, streams (`name:stream`), and dots and spaces at its end.
pub(super) fn fold(name: &str) -> Cow<'_, str> {
    let bare = |name: &str| {
        let name = name.split(':').next().unwrap_or_default();
        name.trim_end_matches(['.', ' ']).len()
    };
    if name.is_ascii() {
        let name = name.get(..bare(name)).unwrap_or_default();
        let is_lower = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        return if is_lower { Cow::Borrowed(name) } else { Cow::Owned(name.to_ascii_lowercase()) };
    }
    let seen = name.chars().filter(|sign| !is_invisible(*sign));
    let folded: String = seen.nfkc().flat_map(char::to_lowercase).nfkc().collect();
    let end = bare(&folded);
    Cow::Owned(folded.get(..end).unwrap_or_default().to_owned())
}

/// Reports whether a file system may pass over a character: HFS+ does.
const fn is_invisible(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}'
    )
}

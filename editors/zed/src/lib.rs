//! Starts `contexture lsp` for Zed (TY-11).

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Contexture;

impl zed::Extension for Contexture {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree).ok();
        let chosen = settings.and_then(|settings| settings.binary).and_then(|binary| binary.path);
        let command = chosen.or_else(|| worktree.which("contexture")).ok_or(
            "`contexture` is not in PATH: install it, or set `lsp.contexture.binary.path` in the settings",
        )?;
        Ok(Command { command, args: vec!["lsp".to_owned()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Contexture);

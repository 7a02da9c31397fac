"""An editor, by pytest-lsp, which checks every message by the specification of the protocol."""

import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

PROJECT = pathlib.Path(os.environ["CONTEXTURE_LSP_PROJECT"])
URI = (PROJECT / "main.as").as_uri()
WORKER = (PROJECT / "lib/worker.as").as_uri()
TEXT = (PROJECT / "main.as").read_text()


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["CONTEXTURE_BIN"], "lsp"]))
async def client(lsp_client: LanguageClient):
    folders = [types.WorkspaceFolder(uri=PROJECT.as_uri(), name="project")]
    params = types.InitializeParams(
        capabilities=client_capabilities("visual-studio-code"),
        root_uri=PROJECT.as_uri(),
        workspace_folders=folders,
    )
    watched = []

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params):
        watched.extend(one.method for one in params.registrations)

    result = await lsp_client.initialize_session(params)
    assert result.server_info.name == "contexture"
    yield
    assert watched == ["workspace/didChangeWatchedFiles"]
    await lsp_client.shutdown_session()


def place(text, word, after=0):
    """The position of a word, in units of UTF-16."""
    before = text[: text.index(word) + after]
    line = before.rsplit("\n", 1)[-1]
    return types.Position(line=before.count("\n"), character=len(line.encode("utf-16-le")) // 2)


async def opened(client, text=TEXT, version=1):
    document = types.TextDocumentItem(uri=URI, language_id="agentscript", version=version, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return types.TextDocumentIdentifier(uri=URI)


@pytest.mark.asyncio
async def test_faults_follow_the_text(client: LanguageClient):
    await opened(client, TEXT.replace("found.answer", "fuond.answer"))
    fault = client.diagnostics[URI][0]
    assert (fault.code, fault.range.start) == ("AS2001", types.Position(line=6, character=13))
    document = types.VersionedTextDocumentIdentifier(uri=URI, version=2)
    # A whole line by an end that no text has.
    span = types.Range(
        start=types.Position(line=6, character=0), end=types.Position(line=6, character=2**31 - 1)
    )
    change = types.TextDocumentContentChangePartial(range=span, text="  Worker.run(found.answer)")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
    )
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    errors = [fault for fault in client.diagnostics[URI] if fault.severity == types.DiagnosticSeverity.Error]
    assert errors == []


@pytest.mark.asyncio
async def test_names_are_found_and_changed(client: LanguageClient):
    document = await opened(client)
    at = place(TEXT, "Worker.run")
    found = await client.text_document_definition_async(types.DefinitionParams(document, at))
    assert (found[0].uri, found[0].range.start) == (WORKER, types.Position(line=1, character=6))
    context = types.ReferenceContext(include_declaration=True)
    found = await client.text_document_references_async(types.ReferenceParams(context, document, at))
    assert sorted(one.uri for one in found) == sorted([URI, URI, WORKER])
    prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(document, at))
    assert prepared.placeholder == "Worker"
    edit = await client.text_document_rename_async(types.RenameParams(document, at, new_name="Clerk"))
    assert {uri: len(edits) for uri, edits in edit.changes.items()} == {URI: 2, WORKER: 1}
    marks = await client.text_document_document_highlight_async(types.DocumentHighlightParams(document, at))
    assert len(marks) == 2
    names = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="work"))
    assert [one.name for one in names] == ["Worker"]


@pytest.mark.asyncio
async def test_what_is_shown(client: LanguageClient):
    document = await opened(client)
    hover = await client.text_document_hover_async(types.HoverParams(document, place(TEXT, "generate")))
    assert "`NOTES` (" in hover.contents.value and "worst case" in hover.contents.value
    hover = await client.text_document_hover_async(types.HoverParams(document, place(TEXT, "Worker.run")))
    assert "Answers a question." in hover.contents.value
    everything = types.Range(types.Position(0, 0), types.Position(2**31 - 1, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    assert any("tokens" in hint.label for hint in hints)
    outline = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert [one.name for one in outline] == ["NOTES", "main"]
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert (folds[0].start_line, folds[0].end_line) == (3, 6)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert [one.command.title for one in lenses] == ["Run", "Dry run", "Show prompt"]
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert len(tokens.data) > 0 and len(tokens.data) % 5 == 0


@pytest.mark.asyncio
async def test_what_can_be_written(client: LanguageClient):
    text = TEXT.replace("found.answer", "found.").replace("max 1k ", "")
    document = await opened(client, text)
    at = place(text, "found.)", len("found."))
    found = await client.text_document_completion_async(types.CompletionParams(document, at))
    items = found if isinstance(found, list) else found.items
    assert {"answer", "sure"} <= {item.label for item in items}
    call = place(text, "run(found", len("run("))
    help_ = await client.text_document_signature_help_async(types.SignatureHelpParams(document, call))
    assert help_.signatures[0].label == "run(question)"
    span = types.Range(place(text, "use NOTES"), place(text, "use NOTES"))
    params = types.CodeActionParams(document, span, types.CodeActionContext(diagnostics=[]))
    actions = await client.text_document_code_action_async(params)
    assert "Add a budget: `max 2k`" in [action.title for action in actions]


@pytest.mark.asyncio
async def test_layout(client: LanguageClient):
    document = await opened(client, TEXT.replace("input: input.question", "input:input.question"))
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(document, options))
    assert [(edit.range.start.line, edit.range.end.line) for edit in edits] == [(5, 6)]
    first = types.Range(types.Position(0, 0), types.Position(1, 0))
    params = types.DocumentRangeFormattingParams(document, first, options)
    assert len(await client.text_document_range_formatting_async(params)) == 0

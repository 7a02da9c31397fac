"""An editor, by the official SDK of the Agent Client Protocol: acp_client.py CONTEXTURE PROJECT."""

import asyncio
import pathlib
import sys

import acp
from acp import schema


class Editor(acp.Client):
    """Keeps what it is shown, and answers questions as it was told."""

    def __init__(self):
        self.updates = []
        self.questions = []
        self.chosen = "allow"
        self.asked = asyncio.Event()

    async def session_update(self, session_id, update, **kwargs):
        self.updates.append(update)

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        self.questions.append((tool_call, options))
        self.asked.set()
        if self.chosen is None:
            await asyncio.sleep(3600)
        outcome = schema.AllowedOutcome(outcome="selected", option_id=self.chosen)
        return schema.RequestPermissionResponse(outcome=outcome)

    def text(self, kind="agent_message_chunk"):
        return "".join(one.content.text for one in self.updates if one.session_update == kind)


async def main(contexture, project):
    cwd = str(project)
    editor = Editor()
    started = acp.spawn_agent_process(
        editor, contexture, "acp", "ask.as", "--model", "builtin://extractive", cwd=cwd
    )
    async with started as (agent, process):
        greeting = await agent.initialize(protocol_version=1)
        assert greeting.protocol_version == 1 and greeting.agent_capabilities.load_session
        session = (await agent.new_session(cwd=cwd, mcp_servers=[])).session_id

        block = acp.text_block
        done = await agent.prompt(session_id=session, prompt=[block("Which port does it listen on?")])
        assert done.stop_reason == "end_turn", done
        assert "7878" in editor.text(), editor.updates

        embedded = schema.EmbeddedResourceContentBlock(
            type="resource",
            resource=schema.TextResourceContents(uri="file:///a/tides.md", text="The high tide comes at noon today."),
        )
        editor.updates.clear()
        done = await agent.prompt(session_id=session, prompt=[block("When comes the high tide today?"), embedded])
        assert done.stop_reason == "end_turn" and "noon" in editor.text(), editor.updates

        editor.chosen = "reject"
        try:
            await agent.prompt(session_id=session, prompt=[block("write")])
            raise AssertionError("a refused effect is no success")
        except acp.RequestError as error:
            assert error.data["code"] == "PERMISSION_DENIED", error.data
        assert not (project / "answer.txt").exists()
        editor.chosen = "allow"
        await agent.prompt(session_id=session, prompt=[block("write")])
        assert (project / "answer.txt").read_text() == "written"
        assert "where.txt" in str(editor.questions[0][0].content), editor.questions

        editor.chosen = None
        editor.asked.clear()
        running = asyncio.create_task(agent.prompt(session_id=session, prompt=[block("write")]))
        await editor.asked.wait()
        await agent.cancel(session_id=session)
        assert (await asyncio.wait_for(running, 20)).stop_reason == "cancelled"

        editor.updates.clear()
        await agent.load_session(session_id=session, cwd=cwd, mcp_servers=[])
        assert editor.text("user_message_chunk").startswith("Which port"), editor.updates
        for wrong in ("none", ""):
            try:
                await agent.prompt(session_id=wrong, prompt=[block("a")])
                raise AssertionError("there is no such session")
            except acp.RequestError as error:
                assert error.code == -32002, error


asyncio.run(main(sys.argv[1], pathlib.Path(sys.argv[2])))

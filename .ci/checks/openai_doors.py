"""The Python work of openai_doors.sh: `BASE ASKED` are the clients' checks, `comply FILE` reads llm-comply's results."""

import json
import sys


def comply(file):
    """Fails for each case that failed, but those of compaction."""
    with open(file) as results:
        told = json.load(results)
    cases = told["results"] if isinstance(told, dict) else told
    failed = [case for case in cases if case["status"] == "failed" and not case["id"].startswith("compact")]
    passed = sum(case["status"] == "passed" for case in cases)
    for case in failed:
        print(case["id"], case.get("errors"), file=sys.stderr)
    assert not failed and passed >= 7, told
    print(f"{passed} of {len(cases)} cases pass")


def ok(what):
    print(f"ok: {what}")


def client(base, asked_file):
    import openai
    from pydantic import BaseModel

    class Part(BaseModel):
        name: str
        size: int | None

    class City(BaseModel):
        title: str
        parts: list[Part]
        ok: bool

    class Node(BaseModel):
        label: str
        next: "Node | None" = None

    def asked():
        with open(asked_file) as lines:
            return [json.loads(line) for line in lines]

    ai = openai.OpenAI(base_url=base, api_key="x", max_retries=0)
    parameters = {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]}
    weather = {"type": "function", "function": {"name": "get_weather", "description": "Weather", "parameters": parameters}}
    user = [{"role": "user", "content": "Weather in Paris and Rome?"}]

    # -- chat completions: tools ----------------------------------------------------------------------------
    for stream in [False, True]:
        if stream:
            with ai.chat.completions.stream(model="Helper", messages=user, tools=[weather], stream_options={"include_usage": True}) as events:
                for _ in events:
                    pass
                answer = events.get_final_completion()
        else:
            answer = ai.chat.completions.create(model="Helper", messages=user, tools=[weather])
        choice = answer.choices[0]
        places = [json.loads(call.function.arguments)["location"] for call in choice.message.tool_calls]
        assert choice.finish_reason == "tool_calls" and places == ["Paris", "Rome"], answer
        assert choice.message.content == "Let me look." and answer.usage.total_tokens == 17, answer
    results = [{"role": "tool", "tool_call_id": call.id, "content": "sunny"} for call in choice.message.tool_calls]
    turn = user + [choice.message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"})]
    answer = ai.chat.completions.create(model="Helper", messages=turn + results, tools=[weather])
    assert answer.choices[0].message.content.count("sunny") == 2, answer
    assert asked()[-1]["messages"][-1]["content"].startswith("<untrusted_data trust=\"tool\">"), asked()[-1]
    one = ai.chat.completions.create(model="Helper", messages=user, tools=[weather], parallel_tool_calls=False, tool_choice="required")
    assert len(one.choices[0].message.tool_calls) == 1 and asked()[-1]["tool_choice"] == "required", one
    many = [{"type": "function", "function": {"name": f"t{number}"}} for number in range(1000)]
    for wrong in [
        {"messages": turn}, {"messages": turn + results[:1]}, {"messages": user + results}, {"messages": turn + results + results},
        {"tools": many}, {"n": 2}, {"model": "Fixed"}, {"tool_choice": {"type": "function", "function": {"name": "none"}}},
    ]:
        try:
            ai.chat.completions.create(**{"model": "Helper", "messages": user, "tools": [weather], **wrong})
            raise AssertionError(f"{list(wrong)} was taken")
        except openai.BadRequestError as error:
            assert error.type == "invalid_request_error", error.body
    ok("tools of the app end a turn, and their results go on with it")

    answer = ai.chat.completions.create(model="Wrapped", messages=turn + results, tools=[weather])
    assert answer.choices[0].message.content.count("sunny") == 2, answer
    ok("an agent with tools of its own takes them, too")

    # -- forms ----------------------------------------------------------------------------------------------
    text = [{"role": "user", "content": "Describe it without a tool."}]
    for model in ["Helper", "Wrapped"]:
        city = ai.chat.completions.parse(model=model, messages=text, response_format=City).choices[0].message.parsed
        assert len(city.parts) == 2 and city.ok, city
    assert ai.chat.completions.parse(model="Helper", messages=text, response_format=Node).choices[0].message.parsed.label
    with ai.chat.completions.stream(model="Helper", messages=text, response_format=City) as events:
        pieces = [event.delta for event in events if event.type == "content.delta"]
        assert events.get_final_completion().choices[0].message.parsed == city
    assert len(pieces) > 4, pieces
    answer = ai.chat.completions.create(model="Helper", messages=text, response_format={"type": "json_object"})
    assert isinstance(json.loads(answer.choices[0].message.content), dict), answer
    stopped = ai.chat.completions.create(model="Helper", messages=[{"role": "user", "content": "repeat <<one STOP two>>"}], stop=["STOP"])
    assert stopped.choices[0].message.content == "one ", stopped
    ok("objects of a schema, whole and streamed; stop cuts")

    # -- responses ------------------------------------------------------------------------------------------
    tool = {"type": "function", "name": "get_weather", "parameters": parameters, "strict": False}
    first = ai.responses.create(model="Helper", input="repeat <<hello>>")
    assert first.output_text == "hello" and first.status == "completed" and first.usage.total_tokens == 17, first
    second = ai.responses.create(model="Helper", input="repeat <<again>>", previous_response_id=first.id)
    assert second.output_text == "again" and "hello" in json.dumps(asked()[-1]), asked()[-1]
    with ai.responses.stream(model="Helper", input="Weather in Oslo", tools=[tool]) as events:
        kinds = [event.type for event in events]
        called = events.get_final_response()
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds
    call = next(item for item in called.output if item.type == "function_call")
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "cold"}
    answer = ai.responses.create(model="Helper", input=[output], previous_response_id=called.id, tools=[tool])
    assert "cold" in answer.output_text, answer
    by_hand = [{"role": "user", "content": "Weather in Oslo"}] + [item.model_dump(exclude_none=True) for item in called.output] + [output]
    assert "cold" in ai.responses.create(model="Helper", input=by_hand, tools=[tool], store=False).output_text
    assert ai.responses.parse(model="Helper", input="Describe it.", text_format=City).output_parsed == city
    for wrong in [{"previous_response_id": "resp_none"}, {"input": [output]}, {"background": True}]:
        try:
            ai.responses.create(**{"model": "Helper", "input": "x", **wrong})
            raise AssertionError(f"{wrong} was taken")
        except openai.BadRequestError:
            pass
    ok("responses: items, streams, forms, and a response that is continued")

    # -- LangChain ------------------------------------------------------------------------------------------
    from langchain_core.messages import HumanMessage
    from langchain_core.tools import tool as made
    from langchain_openai import ChatOpenAI

    @made
    def town(city: str) -> str:
        "The weather of a city."
        return f"sunny in {city}"

    for more in [{}, {"streaming": True}, {"use_responses_api": True}, {"use_responses_api": True, "use_previous_response_id": True}]:
        llm = ChatOpenAI(model="Helper", base_url=base, api_key="x", max_retries=0, **more)
        bound = llm.bind_tools([town])
        messages = [HumanMessage("Weather in Paris and Rome")]
        messages.append(bound.invoke(messages))
        assert [call["args"]["city"] for call in messages[-1].tool_calls] == ["Paris", "Rome"], messages
        messages += [town.invoke(call) for call in messages[-1].tool_calls]
        assert "sunny in Rome" in str(bound.invoke(messages).content), more
        for method in ["json_schema", "function_calling"]:
            assert llm.with_structured_output(City, method=method).invoke("Describe it.").ok, (more, method)
    ok("LangChain: bind_tools and with_structured_output")


if __name__ == "__main__":
    if sys.argv[1] == "comply":
        comply(sys.argv[2])
    else:
        client(*sys.argv[1:3])

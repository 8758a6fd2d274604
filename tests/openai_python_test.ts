/** The official OpenAI client for Python talks to agents: POST /v1/openai/** over real HTTP. */
import { assertEquals } from "@std/assert";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ProviderService } from "./support/provider_service.ts";
import { canInstallPython, PythonProject } from "./support/python_project.ts";

const OPENAI = "openai==3.54.0";

/** Prints a line of JSON for each thing that the client did. */
const SCRIPT = `
import asyncio, json, os
import openai
from openai import AsyncOpenAI, OpenAI

base, key, agent = os.environ["BASE"], os.environ["KEY"], os.environ["AGENT"]
client = OpenAI(base_url=base, api_key=key, max_retries=0)
ask = dict(model=agent, messages=[{"role": "user", "content": "Hi"}])

def tell(name, value):
    print(json.dumps([name, value]), flush=True)

def failure(call):
    try:
        call()
    except openai.APIError as error:
        return [type(error).__name__, error.code, getattr(error, "param", None)]

tell("models", [model.id for model in client.models.list()])
tell("model", client.models.retrieve(agent).owned_by)
done = client.chat.completions.create(**ask)
tell("create", [done.choices[0].message.content, done.usage.total_tokens])
chunks = list(client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
tell("stream", ["".join(c.choices[0].delta.content or "" for c in chunks if c.choices), chunks[-1].usage.total_tokens])
with client.chat.completions.stream(**ask) as stream:
    for event in stream:
        pass
    tell("helper", stream.get_final_completion().choices[0].message.content)
first = client.responses.create(model=agent, input="Hi")
tell("responses", [first.output_text, first.status])
with client.responses.stream(model=agent, input="More", previous_response_id=first.id) as stream:
    types = [event.type for event in stream]
    tell("events", [types[0], types[-1], stream.get_final_response().output_text])

async def parallel():
    many = AsyncOpenAI(base_url=base, api_key=key)
    answers = await asyncio.gather(*[many.chat.completions.create(**ask) for _ in range(5)])
    return [answer.choices[0].message.content for answer in answers]

tell("async", asyncio.run(parallel()))
create = client.chat.completions.create
tell("unknown", failure(lambda: create(**{**ask, "model": "gpt-4o"})))
tell("bad key", failure(lambda: OpenAI(base_url=base, api_key="nobody", max_retries=0).models.list()))
tell("bad body", failure(lambda: create(**ask, n=2)))
tell("failed", failure(lambda: create(**{**ask, "messages": [{"role": "user", "content": "fail"}]})))
tell("failed stream", failure(lambda: list(create(**{**ask, "messages": [{"role": "user", "content": "fail"}]}, stream=True))))
tell("timeout", failure(lambda: client.with_options(timeout=0.3).chat.completions.create(
    **{**ask, "messages": [{"role": "user", "content": "hang"}]})))
`;

const HELLO: Script = { say: [{ text: "Hello " }, { text: "world." }] };
const BROKEN: Script = { say: [{ text: "Half" }, { error: "overloaded" }], end: "none" };
const HANGING: Script = { say: [{ wait: new Promise(() => {}) }], end: "none" };

/** The last question decides how the provider answers. */
function scriptFor(body: { messages: { content: string }[] }): Script {
  const question = body.messages.at(-1)?.content;
  return question === "fail" ? BROKEN : question === "hang" ? HANGING : HELLO;
}

/** The program in docs/openai-clients.md, with this service's values. */
async function documented(env: { BASE: string; KEY: string; AGENT: string }): Promise<string> {
  const page = await Deno.readTextFile(new URL("../docs/openai-clients.md", import.meta.url));
  const [, program] = /^```python\n(.*?)^```/ms.exec(page)!;
  return program!.replace("https://chat.example.com/v1/openai", env.BASE)
    .replace("ck_live_…", env.KEY).replace("7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11", env.AGENT);
}

Deno.test({
  name: "openai for Python: models, completions, streams, helpers, responses, errors and timeouts",
  ignore: !await canInstallPython(OPENAI),
  async fn() {
    await using project = await PythonProject.create(OPENAI);
    await using mock = await MockProviders.start({ otherwise: ({ body }) => scriptFor(body) });
    await using on = await ProviderService.start(mock);
    const agent = await on.agent("vendor_a");
    const env = { BASE: `${on.service.url}/v1/openai`, KEY: on.key, AGENT: agent.id };
    const printed = await project.run(SCRIPT, env);
    assertEquals(await project.run(await documented(env)), "Hello world.\n");
    const told = Object.fromEntries(printed.trim().split("\n").map((line) => JSON.parse(line)));
    assertEquals(told, {
      models: [agent.id],
      model: "agent-chat",
      create: ["Hello world.", 40],
      stream: ["Hello world.", 40],
      helper: "Hello world.",
      responses: ["Hello world.", "completed"],
      events: ["response.created", "response.completed", "Hello world."],
      async: Array(5).fill("Hello world."),
      unknown: ["NotFoundError", "model_not_found", "model"],
      "bad key": ["AuthenticationError", "invalid_api_key", null],
      "bad body": ["BadRequestError", "schema_validation_failed", "n"],
      failed: ["InternalServerError", "provider_error", null],
      "failed stream": ["APIError", "provider_error", null],
      timeout: ["APITimeoutError", null, null],
    });
    await on.service.service.chat.stopAll();
    const records = await on.records();
    const protocols = new Set(records.map(({ source }) => source.protocol as string));
    assertEquals(protocols, new Set(["openai-chat", "openai-responses"]));
  },
});

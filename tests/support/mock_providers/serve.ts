/**
 * The mock providers as a separate process, for benchmarks. Prints the port first.
 * A model named `mock-64-10` answers 64 chunks of text, 10 milliseconds apart; any other 64 at once.
 *
 *     deno run -A tests/support/mock_providers/serve.ts [port]
 */
import { MockProviders } from "./mock_providers.ts";
import type { Script, ScriptedPart } from "./script.ts";

const CHUNKS = 64;

/** The answer encoded in a model's name. */
function scriptFor(model: string): Script {
  const [, chunks = CHUNKS, delay = 0] = /^mock-(\d+)-(\d+)$/.exec(model) ?? [];
  const text = (n: number): ScriptedPart[] => [{ text: `word${n} ` }];
  const wait: ScriptedPart[] = Number(delay) > 0 ? [{ wait: Number(delay) }] : [];
  const say = Array.from(
    { length: Number(chunks) },
    (_, n) => [...(n > 0 ? wait : []), ...text(n)],
  );
  return { say: say.flat(), usage: { input: 25, output: Number(chunks) } };
}

const scripts = new Map<string, Script>();

const mock = await MockProviders.start({
  port: Number(Deno.args[0] ?? 0),
  otherwise: (request) => {
    // A benchmark of hours must not store every request.
    mock.requests.length = 0;
    const known = scripts.get(request.model) ?? scriptFor(request.model);
    scripts.set(request.model, known);
    return known;
  },
});
console.log(mock.port);

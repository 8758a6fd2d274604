import type { Documented } from "../api_document.ts";
import { ORIGIN } from "../widget_calls.ts";
import type { SeededRandom } from "./seeded_random.ts";
import type { FuzzContext, KnownSession } from "./fuzz_context.ts";
import { STRINGS } from "./hostile_values.ts";

type HeaderPairs = [string, string][];

const AUTHORIZATIONS = ["", "Bearer", "Basic dTpw", "Bearer a b", "bearer  ", "Bearer ck_live_"];
const ORIGINS = ["null", "*", "https://evil.example", "HTTPS://SHOP.EXAMPLE.COM", `${ORIGIN}/`, ""];
const TAGS = ["*", '"1"', 'W/"1"', '"2"', "1", '"', '"1", "2"', '"99999999999999999999"', '"-1"'];

/** Headers that no operation uses, but that may cause trouble. */
const STRAY: HeaderPairs = [
  ["x-forwarded-for", "1.2.3.4, ::ffff:9.9.9.9, not an address"],
  ["x-forwarded-host", "evil.example"],
  ["content-encoding", "gzip"],
  ["accept", "text/nothing"],
  ["accept-encoding", "br;q=1.0, *;q=0"],
  ["range", "bytes=0-0, 5-2"],
  ["sec-fetch-site", "cross-site"],
  ["last-event-id", "x.0"],
  ["x-request-id", "mine"],
  ["cookie", "a=\u00ff; __Host-x=;;;"],
  ["x-long", "y".repeat(12_000)],
  ["traceparent", "00-zz-zz-zz"],
];

/** Headers of one request, with the session's token if given. */
export function headersFor(
  operation: Documented,
  { world, dice, session }: {
    world: FuzzContext;
    dice: SeededRandom;
    session: KnownSession | undefined;
  },
): HeaderPairs {
  const headers = credential(operation, { world, dice, session });
  for (const { name, in: place, required } of operation.parameters ?? []) {
    if (place !== "header") continue;
    const value = parameterValue(name, { world, dice });
    const sent = name === "Origin" ? required || session !== undefined : dice.chance(0.15);
    if (sent ? !dice.chance(0.03) : dice.chance(0.03)) headers.push([name, value]);
  }
  if (dice.chance(0.05)) headers.push(dice.pick(STRAY));
  return headers.map(([name, value]) => [name, sendable(value)]);
}

function credential(
  { security }: Documented,
  { world, dice, session }: {
    world: FuzzContext;
    dice: SeededRandom;
    session: KnownSession | undefined;
  },
): HeaderPairs {
  if (security.length === 0 && !dice.chance(0.1)) return [];
  if (session !== undefined) {
    const token = dice.chance(0.95) ? session.token : dice.pick([...STRINGS, `${session.token}x`]);
    return [["x-service-session", token]];
  }
  if (dice.chance(0.9)) return [["authorization", `Bearer ${world.keys.good}`]];
  return dice.pick<() => HeaderPairs>([
    () => [],
    () => [["authorization", `Bearer ${world.keys.weak}`]],
    () => [["authorization", dice.pick(AUTHORIZATIONS)]],
    () => [["authorization", `Bearer ${dice.pick(STRINGS)}`]],
    () => [["authorization", `Bearer ${world.keys.good.slice(0, -1)}`]],
    () => [["authorization", `Bearer ${world.keys.good}`], ["x-service-session", "short"]],
  ])();
}

function parameterValue(
  name: string,
  { world, dice }: { world: FuzzContext; dice: SeededRandom },
): string {
  if (dice.chance(0.1)) return dice.pick(STRINGS);
  switch (name) {
    case "Origin":
      return dice.chance(0.9) ? ORIGIN : dice.pick([...ORIGINS, world.ownOrigin]);
    case "If-Match":
    case "If-None-Match":
      return dice.pick(TAGS);
    case "Idempotency-Key":
      return dice.chance(0.8)
        ? `key-${dice.int(0, 1e9)}-${dice.int(0, 1e9)}`
        : dice.pick(["a", "the same key again and again", "k".repeat(255), "k".repeat(256), "é"]);
    default:
      return dice.pick(STRINGS);
  }
}

/** The characters that a client can send: Latin-1 without line breaks and NUL. */
function sendable(value: string): string {
  return [...value].filter((c) => c <= "\u00ff" && !"\0\r\n".includes(c)).join("").slice(0, 16_000);
}

import type { Documented } from "../api_document.ts";
import type { SeededRandom } from "./seeded_random.ts";
import { bodyOf, brokenBody, type FuzzBody } from "./fuzz_bodies.ts";
import { fileBody } from "./file_body.ts";
import { headersFor } from "./fuzz_headers.ts";
import type { FuzzContext, KnownSession } from "./fuzz_context.ts";
import { ORIGIN } from "../widget_calls.ts";
import { STRINGS } from "./hostile_values.ts";
import { mutateValue } from "./mutate_value.ts";
import { validValue, type ValueOptions } from "./schema_values.ts";

/** One request, ready to be sent. */
export interface FuzzCall {
  operation: Documented;
  method: string;
  path: string;
  headers: [string, string][];
  body: FuzzBody | undefined;
  session: KnownSession | undefined;
  /** The existing agent that the body or path names, if any. */
  agentId: string | undefined;
}

interface Parts {
  world: FuzzContext;
  dice: SeededRandom;
  schemas: ValueOptions["schemas"];
  /** The documented methods of each path. */
  methods: ReadonlyMap<string, readonly string[]>;
}

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** A request of the operation: valid, or with mutations anywhere in it. */
export function fuzzCall(operation: Documented, parts: Parts): FuzzCall {
  const { world, dice } = parts;
  const sessions = operation.security.some((scheme) => "ServiceSession" in scheme);
  const isOwn = /^\/v1\/chat\/conversations(?:\/\{id\})?$/.test(operation.path);
  const owner = operation.path === "/v1/chat/memory/{id}"
    ? dice.pick(world.facts)
    : isOwn && world.owners.length > 0
    ? dice.pick(world.owners)
    : undefined;
  const session = sessions && dice.chance(owner ? 0.8 : 0.5)
    ? owner?.session ?? world.pickSession(dice)
    : undefined;
  const id = dice.pick(world.agents);
  const value = bodyValue(operation, { ...parts, session });
  const named = (value as { agentId?: string } | undefined)?.agentId;
  return {
    operation,
    method: methodOf(operation, parts),
    path: pathOf(operation, { world, dice, id, own: owner?.id }) +
      queryOf(operation, { world, dice }),
    headers: headersFor(operation, { world, dice, session }),
    session,
    body: takesFile(operation)
      ? fileBody(dice)
      : value === undefined
      ? undefined
      : encode(value, dice),
    agentId: operation.path.startsWith("/v1/agents/{id}") ? id : named,
  };
}

/** Its only body is a form with a file. */
function takesFile({ requestBody }: Documented): boolean {
  const types = Object.keys(requestBody?.content ?? {});
  return types.length === 1 && types[0] === "multipart/form-data";
}

/** An unsupported method gets a 405, which only /v1 guarantees. */
function methodOf({ method, path }: Documented, { dice, methods }: Parts): string {
  if (!path.startsWith("/v1/") || !dice.chance(0.02)) return method;
  if (path.includes("openapi")) return dice.pick(VERBS.slice(1));
  const unsupported = ["PUT", "PATCH", "DELETE"]
    .find((verb) => !methods.get(path)?.includes(verb));
  return unsupported ?? method;
}

function bodyValue(
  { path, requestBody }: Documented,
  { dice, schemas, world, session }: Parts & { session: KnownSession | undefined },
): unknown {
  const schema = requestBody?.content["application/json"]?.schema;
  if (schema === undefined || (!requestBody?.required && dice.chance(0.3))) return undefined;
  const hints = world.hints();
  // There, a model is an agent.
  const isModelAgent = path.startsWith("/v1/openai/");
  const value = validValue(schema, {
    ...{ dice, schemas },
    hints: isModelAgent ? { ...hints, model: () => dice.pick(world.agents) } : hints,
  });
  if (session === undefined || path !== "/v1/chat/stream") return value;
  return { ...value as object, agentId: session.agentId, sessionToken: session.token };
}

function encode(value: unknown, dice: SeededRandom): FuzzBody {
  const kind = dice.number(0, 1);
  if (kind < 0.6) return bodyOf(JSON.stringify(value), dice);
  if (kind < 0.88) return bodyOf(JSON.stringify(mutateValue(value, dice)), dice);
  return brokenBody(JSON.stringify(value), dice);
}

function pathOf(
  { path }: Documented,
  { world, dice, id, own: ownId }: {
    world: FuzzContext;
    dice: SeededRandom;
    id: string;
    /** A conversation of the session, or a fact about its visitor. */
    own: string | undefined;
  },
): string {
  const runId = dice.pick(world.runs);
  const [base, documentId] = dice.pick(world.documents);
  const own = path.startsWith("/v1/chat/conversations/{id}/")
    ? dice.pick(world.handedOver)
    : /^\/v1\/(?:chat\/)?conversations\//.test(path)
    ? ownId ?? dice.pick(world.conversations)
    : path.startsWith("/v1/chat/memory/")
    ? ownId!
    : path.includes("{documentId}")
    ? base
    : path.startsWith("/v1/chat/attachments/")
    ? dice.pick(world.attachments)
    : path.startsWith("/v1/visitor-erasures/")
    ? dice.pick(world.erasures)
    : path.startsWith("/v1/knowledge-bases/")
    ? dice.pick(world.bases)
    : id;
  const values: Record<string, string> = {
    id: own,
    documentId,
    agentId: id,
    runId,
    n: String(dice.int(1, 3)),
    hash: dice.pick(world.hashes),
  };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "";
    return dice.chance(0.15) ? pathPart(dice) : dice.chance(0.1) ? value.toUpperCase() : value;
  });
}

/** A hostile path segment without dots and slashes, which would change the path. */
function pathPart(dice: SeededRandom): string {
  const text = dice.pick(STRINGS).slice(0, 4_000);
  const raw = text.startsWith("%") ? text : encodeURIComponent(text.toWellFormed());
  return /^\.*$/.test(raw) || raw.includes("/") ? "0" : raw;
}

function queryOf(
  { parameters = [] }: Documented,
  { world, dice }: { world: FuzzContext; dice: SeededRandom },
): string {
  const pairs: string[] = [];
  for (const { name } of parameters.filter((one) => one.in === "query")) {
    if (dice.chance(0.5)) pairs.push(`${name}=${queryValue(name, { world, dice })}`);
  }
  if (dice.chance(0.05)) pairs.push(dice.pick(["=", "&&", "limit=1&limit=2", "%zz=%00", "a[]=1"]));
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function queryValue(
  name: string,
  { world, dice }: { world: FuzzContext; dice: SeededRandom },
): string {
  if (dice.chance(0.3)) {
    return encodeURIComponent(dice.pick(STRINGS).slice(0, 4_000).toWellFormed());
  }
  if (name === "cursor") {
    const cursor = dice.pick(world.cursors);
    return dice.chance(0.8) ? cursor : cursor.slice(1);
  }
  if (name === "agentId") return dice.pick(world.agents);
  if (name === "origin") return encodeURIComponent(dice.pick([ORIGIN, ""]));
  // Frames of other formats have tests of their own.
  if (name === "protocol") return dice.chance(0.8) ? "native" : "x";
  if (name !== "limit" && name !== "wait") return dice.pick(["0", "x", "2026-01-15"]);
  return dice.pick(["1", "2", "5", "100", "101", "0", "-1", "1e2", "+5", "1.0", "0x10", "٣"]);
}

import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { CostLimitError, CostMeter } from "./cost_meter.ts";
import { LinearPatterns } from "./linear_patterns.ts";
import { isTooDeep } from "../../../schemas/json_depth.ts";
import { prepareSchema, REFERENCE_COUNTER_KEYWORD, type SchemaIssue } from "./prepare_schema.ts";

/** What is wrong with a call's arguments, in words for the model; `undefined` when nothing is. */
export type ArgumentValidator = (args: unknown) => string | undefined;

/** What following one reference costs: it is a call of a function, not a comparison. */
const REFERENCE_COST = 100;
/** Characters that are as much work as one value. */
const CHARACTERS_PER_STEP = 16;

/**
 * Compiles a tool's `parameters`, or says what is wrong with them and where (a dotted path inside).
 * The schema is a stranger's: nothing is fetched, `format` is an annotation, patterns run in linear
 * time, and every check has a bound on its cost.
 */
export function compileParameters(
  parameters: Readonly<Record<string, unknown>>,
): { check: ArgumentValidator } | SchemaIssue {
  const meter = new CostMeter();
  const patterns = new LinearPatterns(meter);
  const prepared = prepareSchema(parameters, (pattern) => patterns.issue(pattern));
  if ("message" in prepared) return prepared;
  const fault = metaSchemaIssue(parameters);
  if (fault !== undefined) return fault;
  meter.reset();
  const { schema, nodes, uniqueItems } = prepared;
  try {
    const validate = createAjv(parameters, { meter, patterns }).compile(schema);
    const check = (args: unknown) => {
      const size = estimateSize(args);
      meter.reset();
      meter.charge(size * nodes + uniqueItems * size ** 2);
      return validate(args) === true ? undefined : describeErrors(validate.errors);
    };
    return { check: (args) => validateWithinLimits(check, args) };
  } catch (error) {
    return { path: "", message: `cannot be compiled: ${shortMessage(error)}` };
  }
}

/** One for each schema: an `$id` in one must not be what a `$ref` in another finds. */
function createAjv(
  parameters: Readonly<Record<string, unknown>>,
  { meter, patterns }: { meter: CostMeter; patterns: LinearPatterns },
): Ajv {
  // MCP servers still send draft 7, which differs in words that matter (`items` as a list).
  const Draft = isDraft7(parameters) ? Ajv : Ajv2020;
  const ajv = new Draft({
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    inlineRefs: false,
    // Else `constructor`, which every object inherits, would be an argument that nobody gave.
    ownProperties: true,
    logger: false,
    // Tidying the generated code took most of the time and bought nothing: 105 ms against 20 for 650
    // properties (measured).
    code: { regExp: toRegExpEngine((pattern) => patterns.compile(pattern)), optimize: false },
  });
  const step = () => {
    meter.charge(REFERENCE_COST);
    return true;
  };
  ajv.addKeyword({
    keyword: REFERENCE_COUNTER_KEYWORD,
    before: "$ref",
    validate: step,
    schemaType: "boolean",
  });
  registerRootAnchor(ajv, parameters);
  return ajv;
}

/** Ajv registers the anchors inside a schema, but not that of the schema itself. */
function registerRootAnchor(ajv: Ajv, schema: Readonly<Record<string, unknown>>): void {
  const { $id, $anchor, $dynamicAnchor } = schema;
  const base = typeof $id === "string" ? $id.replace(/#$/, "") : "";
  for (const name of [$anchor, $dynamicAnchor]) {
    if (typeof name === "string") ajv.refs[`${base}#${name}`] = base;
  }
}

type RegExpEngine = NonNullable<NonNullable<Options["code"]>["regExp"]>;

/** `code` would be the engine's name in generated source that is saved to a file; none is. */
function toRegExpEngine(compile: (pattern: string) => ReturnType<RegExpEngine>): RegExpEngine {
  return Object.assign(compile, { code: "linearPattern" });
}

let metaValidator: Ajv | undefined;

/** What the 2020-12 meta-schema says against a schema. */
function metaSchemaIssue(parameters: Readonly<Record<string, unknown>>): SchemaIssue | undefined {
  if (isDraft7(parameters)) return undefined;
  // Made when first needed: it takes 30 ms.
  metaValidator ??= new Ajv2020({ strict: false, validateFormats: false, logger: false });
  const { $schema: _dialect, ...schema } = parameters;
  if (metaValidator.validateSchema(schema) === true) return undefined;
  const [first] = metaValidator.errors ?? [];
  return {
    path: toDottedPath(first?.instancePath ?? ""),
    message: first?.message ?? "is no schema",
  };
}

function isDraft7({ $schema }: Readonly<Record<string, unknown>>): boolean {
  return typeof $schema === "string" && /draft-0[4-7]/.test($schema);
}

function validateWithinLimits(check: ArgumentValidator, args: unknown): string | undefined {
  try {
    return check(args);
  } catch (error) {
    // A schema that refers to itself without end overflows the stack.
    if (error instanceof CostLimitError || error instanceof RangeError) {
      return "the arguments cost too much to check against the tool's schema";
    }
    throw error;
  }
}

/** How much there is to look at: values at every level, and text by its length. */
function estimateSize(args: unknown): number {
  if (isTooDeep(args)) throw new CostLimitError("the arguments are nested too deeply");
  let size = 0;
  const waiting = [args];
  while (waiting.length > 0) {
    const value = waiting.pop();
    size += typeof value === "string" ? 1 + value.length / CHARACTERS_PER_STEP : 1;
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Object.values(value)) waiting.push(inner);
  }
  return size;
}

function describeErrors(errors: readonly ErrorObject[] | null | undefined): string {
  const first = errors?.[0];
  if (first === undefined) return "the arguments do not match the tool's schema";
  const { additionalProperty, allowedValues } = first.params;
  const which = additionalProperty ??
    (allowedValues && JSON.stringify(allowedValues).slice(0, 200));
  const where = toDottedPath(first.instancePath) || "the arguments";
  return `${where} ${first.message}${which === undefined ? "" : `: ${which}`}`;
}

/** `/a/0/b~1c` as `a.0.b/c`. */
function toDottedPath(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
}

function shortMessage(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : "unknown reason";
}

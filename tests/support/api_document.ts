import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type {
  HeaderObject,
  MediaType,
  OpenApiDocument,
  OperationObject,
  ResponseObject,
} from "@/lib/openapi/openapi_types.ts";
import { SseDecoder } from "@/lib/schemas/frame_decoder.ts";

/** An operation of the document. */
export interface Documented extends OperationObject {
  /** In uppercase. */
  method: string;
  /** With parameters in braces. */
  path: string;
}

/** A response, read to its end. */
export interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

const BASE = "https://document.example/";

/** The API document, to look up operations and to validate responses. */
export class ApiDocument {
  readonly operations: readonly Documented[];
  readonly document: OpenApiDocument;
  #ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  #compiled = new Map<unknown, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    // Strict, except for the key under which the document has its schemas.
    this.#ajv.addKeyword("components");
    this.#ajv.addSchema({ $id: BASE, components: document.components });
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      }))
    );
  }

  /** The operation with this id. */
  find(id: string): Documented {
    const found = this.operations.find(({ operationId }) => operationId === id);
    if (found === undefined) throw new Error(`the document has no operation ${id}`);
    return found;
  }

  /** Everything in a response that its operation does not document; `[]` if it is valid. */
  faultsOf(operation: Documented, answered: Answered): string[] {
    const { status, text } = answered;
    const leaks = /at file:| {4}at /.test(text) ? ["shows a stack"] : [];
    const response = operation.responses[status];
    if (response === undefined) return [...leaks, `status ${status} is not documented`];
    return [
      ...leaks,
      ...this.#headerFaults(response, answered),
      ...this.#bodyFaults(response, answered),
    ];
  }

  /** Why a JSON text is no valid body of this operation, by its schema. */
  bodyFaultsOf({ requestBody }: Documented, text: string): string[] {
    const schema = requestBody?.content["application/json"]?.schema;
    if (schema === undefined || (text.trim() === "" && !requestBody?.required)) return [];
    return this.#schemaFaults(schema, JSON.parse(text));
  }

  #headerFaults({ headers = {} }: ResponseObject, answered: Answered): string[] {
    return Object.keys(headers).flatMap((name) => {
      const { required, schema } = this.document.components.headers[name] as HeaderObject;
      const value = answered.headers.get(name);
      if (value === null) return required ? [`lacks the header ${name}`] : [];
      return this.#schemaFaults(schema, schema.type === "integer" ? Number(value) : value)
        .map((issue) => `header ${name}: ${issue}`);
    });
  }

  #bodyFaults({ content }: ResponseObject, { status, headers, text }: Answered): string[] {
    if (content === undefined) return text === "" ? [] : ["has a body that is not documented"];
    const type = headers.get("content-type")?.split(";")[0] ?? "none";
    const media = content[type];
    if (media === undefined) return [`content type ${type} is not documented`];
    // Streams of other formats have no schema of ours.
    if (type === "text/event-stream") {
      if (!("$ref" in media.schema)) return [];
      // A poll is a part of a stream.
      return this.#frameFaults(media, { text, isPart: headers.has("content-length") });
    }
    if (type !== "application/json") return [];
    const body = JSON.parse(text);
    const faults = this.#schemaFaults(media.schema, body);
    return status < 400 || "status" in body
      ? faults
      : [...faults, ...envelopeFaults(media, { status, body })];
  }

  #frameFaults(
    { schema }: MediaType,
    { text, isPart }: { text: string; isPart: boolean },
  ): string[] {
    const events = new SseDecoder().push(text);
    const faults = events.flatMap(({ type, data }) => {
      const frame = JSON.parse(data);
      return [
        ...frame.type === type ? [] : [`event ${type} holds a ${frame.type}`],
        ...this.#schemaFaults(schema, frame),
      ];
    });
    const types = events.map(({ type }) => type);
    // Feeds of hand-offs have neither start nor done.
    if (schema.$ref?.endsWith("/FeedFrame")) return faults;
    if (isPart) return types.slice(0, -1).includes("done") ? [...faults, "goes on"] : faults;
    if (types[0] !== "start") faults.push(`begins with ${types[0]}`);
    if (types.indexOf("done") !== types.length - 1) faults.push("does not end with its only done");
    return faults;
  }

  #schemaFaults(schema: object, value: unknown): string[] {
    const validate = this.#compiled.get(schema) ??
      this.#ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${BASE}#/`)));
    this.#compiled.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}

/** The documented error codes of a status are the names of its examples. */
function envelopeFaults(
  { examples = {} }: MediaType,
  { status, body }: { status: number; body: ErrorBody },
): string[] {
  const { code } = "http" in body ? body : body.error;
  const known = OPENAI_CODES[code] ?? code;
  return [
    ...Object.hasOwn(examples, known) ? [] : [`code ${code} is not documented`],
    ...!("http" in body) || body.http === status
      ? []
      : [`http ${body.http} is not the status ${status}`],
  ];
}

/** Words that OpenAI's clients know, and ours for them. */
const OPENAI_CODES: Readonly<Record<string, string>> = {
  model_not_found: "not_found",
  previous_response_not_found: "schema_validation_failed",
};

/** Our envelope, or OpenAI's. */
type ErrorBody = { code: string; http: number } | { error: { code: string } };

/** Reads a response to its end. */
export async function answeredBy(response: Response): Promise<Answered> {
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}

/** An operation's path with its parameters filled in. */
export function addressOf({ path }: { path: string }, values: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? `{${name}}`);
}

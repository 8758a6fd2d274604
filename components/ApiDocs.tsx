import type { OpenApiDocument, OperationObject } from "@/lib/openapi/openapi_types.ts";
import { ApiOperation } from "./ApiOperation.tsx";
import { ApiProse } from "./ApiProse.tsx";
import { ApiSchema } from "./ApiSchema.tsx";

interface Entry {
  path: string;
  method: string;
  operation: OperationObject;
}

/** The API reference as one self-contained page without scripts. */
export function ApiDocs({ document }: { document: OpenApiDocument }) {
  const { info, servers, tags, components } = document;
  const entries = entriesOf(document);
  const groups = tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${info.title} API`}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs.css" />
        <link rel="stylesheet" href="/docs_operations.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <p class="bar">
          <a class="brand" href="#content">{info.title} API</a>
          <a href="#contents">Contents</a>
        </p>
        <Contents groups={groups} schemas={Object.keys(components.schemas)} />
        <main id="content">
          <header>
            <p class="eyebrow">OpenAPI 3.1</p>
            <h1>{info.title}</h1>
            <p class="lead">{info.summary}</p>
            <dl class="facts">
              <dt>Base URL</dt>
              <dd>
                <code>{servers[0]?.url}</code>
              </dd>
              <dt>Document</dt>
              <dd>
                <a href="/v1/openapi.json">/v1/openapi.json</a>
              </dd>
            </dl>
            <ApiProse text={info.description} />
          </header>
          <Credentials schemes={components.securitySchemes} />
          {groups.map(({ name, description, entries }) => (
            <section id={`group-${name}`}>
              <h2>{name}</h2>
              <ApiProse text={description} />
              {entries.map((entry) => (
                <ApiOperation
                  key={entry.operation.operationId}
                  {...entry}
                  baseUrl={servers[0]?.url ?? ""}
                />
              ))}
            </section>
          ))}
          <Headers headers={components.headers} />
          <Schemas schemas={components.schemas} />
        </main>
      </body>
    </html>
  );
}

function entriesOf({ paths }: OpenApiDocument): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    }))
  );
}

/** Next to the content on wide screens; on narrow ones below it, with a link in a bar above. */
function Contents({ groups, schemas }: {
  groups: { name: string; entries: Entry[] }[];
  schemas: string[];
}) {
  return (
    <nav id="contents" aria-label="Contents">
      <a class="brand" href="#content">
        <img src="/favicon.svg" alt="" width="24" height="24" data-fresh-disable-lock /> API
      </a>
      <a href="#credentials">Credentials</a>
      {groups.map(({ name, entries }) => (
        <details open>
          <summary>{name}</summary>
          <ul>
            {entries.map(({ method, operation }) => (
              <li>
                <a href={`#${operation.operationId}`}>
                  {operation.summary}{" "}
                  <span class={`method method-${method.toLowerCase()}`}>{method}</span>
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
      <a href="#headers">Headers</a>
      <details>
        <summary>Schemas</summary>
        <ul>
          {schemas.map((name) => (
            <li>
              <a href={`#schema-${name}`}>{name}</a>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

function Credentials(
  { schemes }: { schemes: OpenApiDocument["components"]["securitySchemes"] },
) {
  return (
    <section id="credentials">
      <h2>Credentials</h2>
      {Object.entries(schemes).map(([name, { description }]) => (
        <div id={`credential-${name}`}>
          <h3>{name}</h3>
          <ApiProse text={description} />
        </div>
      ))}
    </section>
  );
}

function Headers({ headers }: { headers: OpenApiDocument["components"]["headers"] }) {
  return (
    <section id="headers">
      <h2>Response headers</h2>
      <dl class="fields">
        {Object.entries(headers).map(([name, { description }]) => (
          <>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <ApiProse text={description} />
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** The anchor is inside the details element, because browsers open the parents of a link's target. */
function Schemas({ schemas }: { schemas: OpenApiDocument["components"]["schemas"] }) {
  return (
    <section id="schemas">
      <h2>Schemas</h2>
      {Object.entries(schemas).map(([name, schema]) => (
        <details class="schema">
          <summary>{name}</summary>
          <div class="answer-body" id={`schema-${name}`}>
            <ApiSchema schema={schema} />
          </div>
        </details>
      ))}
    </section>
  );
}

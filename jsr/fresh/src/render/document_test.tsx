import {
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { useState } from "preact/hooks";
import { App, setBuildCache } from "../app.ts";
import { emptyBuildCache } from "../build_cache.ts";
import { islandRegistry } from "../island_registry.ts";
import { decodeProps } from "../props/decode.ts";
import { asset, assetSrcSet, Head, Partial } from "../runtime.ts";
import type { PageProps } from "../types.ts";

function Counter(props: Record<string, unknown> & { children?: ComponentChildren }): VNode {
  const [n] = useState(1);
  return <b>{n}{props.children}</b>;
}
function Outer({ children }: { children?: ComponentChildren }): VNode {
  return (
    <section>
      <Counter inner />
      {children}
    </section>
  );
}
function Closed(_props: { children?: ComponentChildren }): VNode {
  return <i />;
}
const islands = islandRegistry([
  { name: "Counter", file: "/_fresh/js/id1/Counter.js", mod: { default: Counter } },
  { name: "Others", file: "/_fresh/js/id1/Others.js", mod: { Map: Outer, Closed, note: "no" } },
]);

interface Options {
  app?: ComponentType<PageProps>;
  path?: string;
}

async function render(vnode: VNode, { app, path = "/" }: Options = {}): Promise<Response> {
  const it = new App<unknown>();
  it.fsRoutes().get("*", (ctx) => ctx.render(vnode));
  const wrapper = { id: "/_app", type: "app", pattern: "/", routePattern: "/" } as const;
  const cache = {
    ...emptyBuildCache(),
    routeFiles: app === undefined ? [] : [{ ...wrapper, mod: { default: app } }],
    buildId: "id1",
    clientEntry: "/_fresh/js/id1/run.js",
    islands,
  };
  setBuildCache(it, cache, "production");
  return await it.handler()(new Request(`http://localhost${path}`));
}

async function bodyOf(vnode: VNode, options: Options = {}): Promise<string> {
  const html = await (await render(vnode, options)).text();
  return html.replace(/^.*<body>/, "").replace(/<\/body>.*$/, "");
}

function propsIn(html: string): Record<string, unknown>[] {
  const literal = html.match(/boot\(\{.*?\}, (".*")\);<\/script>/)?.[1];
  return decodeProps(JSON.parse(literal!), (id) => `slot ${id}`) as Record<string, unknown>[];
}

Deno.test("a page without islands has no script", async () => {
  const res = await render(<p>hi</p>);
  assertEquals(res.headers.get("Link"), null);
  assertEquals(res.headers.get("Content-Type"), "text/html; charset=utf-8");
  assertEquals(
    await res.text(),
    '<!DOCTYPE html><html><head><meta charset="utf-8"/></head><body><p>hi</p></body></html>',
  );
});

Deno.test("an island is between comments, its script has the nonce and its files are preloaded", async () => {
  const res = await render(
    <div>
      <Counter a={1} />
    </div>,
  );
  assertEquals(
    res.headers.get("Link"),
    '</_fresh/js/id1/run.js>; rel="modulepreload"; as="script", ' +
      '</_fresh/js/id1/Counter.js>; rel="modulepreload"; as="script"',
  );
  const html = await res.text();
  assertStringIncludes(html, "<!--frsh:island:Counter:0--><b>1</b><!--/frsh:island-->");
  assertMatch(html, /<script type="module" nonce="\w{32}">import \{ boot \} from/);
  assertEquals(propsIn(html), [{ a: 1 }]);
});

Deno.test("named exports are islands, even ones named like globals", async () => {
  const body = await bodyOf(<Outer />);
  assertStringIncludes(body, 'import { Map as island0 } from "/_fresh/js/id1/Others.js";');
  assertStringIncludes(body, '{ "Map": island0 }');
});

Deno.test("an island in another island's own render is an ordinary component", async () => {
  const body = await bodyOf(<Outer />);
  assertEquals(body.match(/frsh:island/g)?.length, 2);
  assertEquals(propsIn(body), [{}]);
});

Deno.test("children are a slot, and islands in it are islands", async () => {
  const body = await bodyOf(
    <Outer>
      text<Counter n={2} />
    </Outer>,
  );
  assertStringIncludes(
    body,
    "<!--frsh:slot:0-->text<!--frsh:island:Counter:1--><b>1</b><!--/frsh:island--><!--/frsh:slot-->",
  );
  assertEquals(propsIn(body), [{ children: "slot 0" }, { n: 2 }]);
});

Deno.test("in a slot the keys of components and islands are marked, elsewhere they are not", async () => {
  const Row = ({ n }: { n: number }) => <li>{n}</li>;
  const body = await bodyOf(
    <>
      <Row key="page" n={0} />
      <Outer>
        <Row key="a:b" n={1} />
        <Counter key="c" n={2} />
      </Outer>
    </>,
  );
  assertStringIncludes(body, "<!--frsh:key:a_b--><li>1</li><!--/frsh:key-->");
  assertStringIncludes(body, "<!--frsh:island:Counter:1:c-->");
  assertEquals(body.match(/<!--frsh:key:/g)?.length, 1);
});

Deno.test("a slot that its island does not show waits in a template, with its islands", async () => {
  const body = await bodyOf(
    <Closed>
      <Counter n={3} />
    </Closed>,
  );
  assertStringIncludes(
    body,
    '<i></i><!--/frsh:island--><template id="frsh-slot-0"><!--frsh:island:Counter:1-->',
  );
  assertEquals(propsIn(body).length, 2);
});

Deno.test("a signal given to two islands is one signal in the browser", async () => {
  function Page() {
    const count = useSignal(5);
    const when = new Date(0);
    return (
      <>
        <Counter s={count} when={when} />
        <Counter s={count} />
      </>
    );
  }
  const [a, b] = propsIn(await bodyOf(<Page />));
  assertEquals(a!.s === b!.s, true);
  assertEquals((a!.s as { value: number }).value, 5);
  assertEquals(a!.when, new Date(0));
});

Deno.test("props cannot end the script they are in", async () => {
  const body = await bodyOf(
    <Counter text="</script><script>alert(1)</script>" s={signal("\u2028")} />,
  );
  assertEquals(body.match(/<\/script>/g)?.length, 1);
  assertEquals(propsIn(body)[0]!.text, "</script><script>alert(1)</script>");
});

Deno.test("a function cannot be an island's prop", async () => {
  const { error } = console;
  console.error = () => {};
  try {
    assertEquals((await render(<Counter onClick={() => {}} />)).status, 500);
  } finally {
    console.error = error;
  }
});

function Shell({ Component }: PageProps): VNode {
  return (
    <html>
      <head>
        <title>default</title>
        <meta name="d" content="shell" />
      </head>
      <body>
        <Component />
      </body>
    </html>
  );
}

Deno.test("Head moves its children into the head, replacing those that are the same", async () => {
  const page = (
    <p>
      <Head>
        <title>first</title>
        <meta name="d" content="page" />
      </Head>
      <Head>
        <title>page</title>
        <link rel="x" href="/1" />
        <meta name="e" key="k" />
      </Head>
    </p>
  );
  const html = await (await render(page, { app: Shell })).text();
  assertStringIncludes(
    html,
    '<head><title>page</title><meta name="d" content="page"/>' +
      '<link rel="x" href="/1"/><meta name="e" data-key="k"/></head><body><p></p></body>',
  );
});

Deno.test("a title in the body takes the page's, as in the package, unless it has a key", async () => {
  const drawing = (title: VNode) => (
    <svg>
      <Head>
        <title>page</title>
      </Head>
      {title}
    </svg>
  );
  const keyed = await render(drawing(<title key="k">drawing</title>), { app: Shell });
  const kept = await keyed.text();
  assertStringIncludes(kept, "<head><title>page</title>");
  assertStringIncludes(kept, '<svg><title data-key="k">drawing</title></svg>');
  const plain = await render(drawing(<title>drawing</title>), { app: Shell });
  const taken = await plain.text();
  assertStringIncludes(taken, "<head><title>default</title>");
  assertStringIncludes(taken, "<svg><title>page</title></svg>");
});

Deno.test("scripts and styles get the nonce of each render, constants too", async () => {
  const constant = <script src="/a.js" />;
  const nonces = new Set<string>();
  for (let i = 0; i < 2; i++) {
    const html = await (await render(
      <div>
        {constant}
        <style>a</style>
      </div>,
    )).text();
    for (const [, nonce] of html.matchAll(/nonce="(\w+)"/g)) nonces.add(nonce!);
  }
  assertEquals(nonces.size, 2);
  assertStringIncludes(await bodyOf(<script nonce="own" />), 'nonce="own"');
});

Deno.test("asset() and images get the build id, other URLs do not", async () => {
  assertEquals(asset("/a.css?b#c"), "/a.css?b=&__frsh_c=id1#c");
  for (const url of ["https://x.example/a", "//x.example/a", "a.css", "/a?__frsh_c=z"]) {
    assertEquals(asset(url), url);
  }
  assertEquals(
    await bodyOf(
      <>
        <img src="/a" />
        <img src="/b" data-fresh-disable-lock />
      </>,
    ),
    '<img src="/a?__frsh_c=id1"/><img src="/b" data-fresh-disable-lock="true"/>',
  );
});

Deno.test("links know the current page and its ancestors", async () => {
  const links = (
    <>
      <a href="/">r</a>
      <a href="/a">a</a>
      <a href="/a/b">b</a>
      <a href="/a/b?q=2">q</a>
      <a href="/ab">n</a>
      <a href="/a" aria-current="step">own</a>
    </>
  );
  assertEquals(
    await bodyOf(links, { path: "/a/b/?q=1" }),
    '<a href="/" data-ancestor="true" aria-current="true">r</a>' +
      '<a href="/a" data-ancestor="true" aria-current="true">a</a>' +
      '<a href="/a/b" data-current="true" aria-current="page">b</a>' +
      '<a href="/a/b?q=2" data-ancestor="true" aria-current="true">q</a>' +
      '<a href="/ab">n</a><a href="/a" aria-current="step">own</a>',
  );
});

Deno.test("an error while rendering leaves nothing behind for the next page", async () => {
  function Broken(): VNode {
    throw new Error("broken");
  }
  const { error } = console;
  console.error = () => {};
  try {
    assertEquals(
      (await render(
        <p>
          <Counter />
          <Broken />
        </p>,
      )).status,
      500,
    );
  } finally {
    console.error = error;
  }
  assertNotMatch(await bodyOf(<p />), /script/);
});

function HeadInside(): VNode {
  return (
    <Head>
      <title>t</title>
    </Head>
  );
}
islands.set(HeadInside, { name: "H", exportName: "H", file: "/h.js", fn: HeadInside });

Deno.test("what rendering leaves out throws", async () => {
  for (const use of [Partial, assetSrcSet]) assertThrows(() => use(), Error, "not in this build");
  const pages = {
    attribute: <div {...{ "f-client-nav": true }} />,
    images: <img srcset="/a 1x" />,
    head: <HeadInside />,
    prop: <Counter icon={<i />} />,
  };
  const { error } = console;
  const logged: unknown[] = [];
  console.error = (e: unknown) => logged.push(e);
  try {
    for (const each of Object.values(pages)) assertEquals((await render(each)).status, 500);
  } finally {
    console.error = error;
  }
  for (const each of logged) assertStringIncludes(String(each), "not in this build");
});

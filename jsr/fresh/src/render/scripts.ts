import { type ComponentChildren, Fragment, h, type VNode } from "preact";
import { scriptLiteral } from "../props/encode.ts";
import { encodeIslandProps, unusedSlots } from "./islands.ts";
import { type RenderState, requireRenderState } from "./state.ts";

/** Last child of every `<body>`. The templates come first: content in them may hold islands too. */
export function Scripts(): VNode {
  return h(Fragment, null, unusedSlots(), h(BootScript, null));
}

/** The only inline script. A page without islands has none. */
function BootScript(): ComponentChildren {
  const state = requireRenderState();
  if (!needsScript(state)) return null;
  const islands = [...state.islands];
  // Imported by number: an island may bear the name of a global.
  const imports = islands.map(({ exportName, file }, i) =>
    `import { ${exportName} as island${i} } from ${scriptLiteral(file)};`
  );
  const table = islands.map(({ name }, i) => `${scriptLiteral(name)}: island${i}`).join(", ");
  const source = `import { boot } from ${scriptLiteral(state.buildCache.clientEntry)};` +
    `${imports.join("")}boot({ ${table} }, ${scriptLiteral(encodeIslandProps())});`;
  const dangerouslySetInnerHTML = { __html: source };
  return h("script", { type: "module", nonce: state.nonce, dangerouslySetInnerHTML });
}

/** Value of the `Link` header that lets the browser fetch the page's scripts early; null for none. */
export function preloadLinks(state: RenderState): string | null {
  if (!needsScript(state)) return null;
  const files = [state.buildCache.clientEntry, ...[...state.islands].map(({ file }) => file)];
  return [...new Set(files)]
    .map((file) => `<${encodeURI(file)}>; rel="modulepreload"; as="script"`)
    .join(", ");
}

function needsScript({ islands, buildCache }: RenderState): boolean {
  return islands.size > 0 || buildCache.reload;
}

import { renderToString } from "preact-render-to-string";
import { ApiDocs } from "@/components/ApiDocs.tsx";
import { cachedOpenApi } from "@/lib/openapi/openapi_document.ts";
import type { OpenApiDocument } from "@/lib/openapi/openapi_types.ts";
import { define } from "@/utils.ts";

const HEADERS = {
  "cache-control": "public, max-age=60",
  "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Rendered once per document: the page is the same for every visitor. */
const pages = new WeakMap<OpenApiDocument, string>();

/** The API reference as a page without scripts. */
export const handler = define.handlers({
  GET(ctx) {
    const { document } = cachedOpenApi(ctx.state.service.baseUrl);
    const html = pages.get(document) ?? renderPage(document);
    pages.set(document, html);
    return ctx.html(html, { headers: HEADERS });
  },
});

// Rendered without Fresh, which would add the dashboard's style sheets.
function renderPage(document: OpenApiDocument): string {
  return `<!DOCTYPE html>${renderToString(<ApiDocs document={document} />)}`;
}

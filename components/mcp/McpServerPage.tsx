import type { McpServerPageData } from "@/lib/dashboard/mcp/mcp_server_page.ts";
import { CONNECT_PROBLEM_TEXTS } from "@/lib/dashboard/mcp/mcp_problem_texts.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { Notice, PageNotice } from "../Notice.tsx";
import { PageHeader } from "../PageHeader.tsx";
import { McpConfirmation } from "./McpConfirmation.tsx";
import { McpConnectForm } from "./McpConnectForm.tsx";
import { McpConnectionState } from "./McpConnectionState.tsx";
import { McpOffer } from "./McpOffer.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** One MCP server: the tenant's connection to it, and what it offers. */
export function McpServerPage({ data, url }: { data: McpServerPageData; url: URL }) {
  const { tool, confirmation, problem } = data;
  const back = tool === undefined
    ? { href: "/settings#mcp-servers", label: t("Settings") }
    : { href: `/agents/${tool.agentId}/tools`, label: tool.agentName };
  const action = url.pathname + search(url);
  return (
    <>
      <PageHeader title={t("MCP server")} text={data.url} back={back} />
      <PageNotice notice={flashMessageOf(url)} />
      {problem !== undefined && (
        <Notice kind="error" focused>{t(CONNECT_PROBLEM_TEXTS[problem])}</Notice>
      )}
      <div class="narrow stack">
        {confirmation === undefined
          ? (
            <>
              <McpConnectionState data={data} action={action} />
              <McpConnectForm data={data} action={action} />
              {tool !== undefined && <McpOffer report={data.report} action={action} />}
            </>
          )
          : <McpConfirmation confirmation={confirmation} serverUrl={data.url} action={action} />}
      </div>
    </>
  );
}

/** Without the notices of the previous request. */
function search({ searchParams }: URL): string {
  const kept = new URLSearchParams();
  for (const name of ["url", "agent"]) {
    const value = searchParams.get(name);
    if (value !== null) kept.set(name, value);
  }
  return `?${kept}`;
}

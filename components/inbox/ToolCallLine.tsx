import { formatJson } from "@/lib/dashboard/format_json.ts";
import { formatMs } from "@/lib/dashboard/format_amount.ts";
import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A tool call as one folded line: its name, how it ended and how long it took. */
export function ToolCallLine(
  { call: { name, args, output }, ms }: {
    call: ConversationRun["toolCalls"][number];
    /** How long it took, if known. */
    ms: number | undefined;
  },
) {
  return (
    <details class="more tool-call">
      <summary>
        <code>{name}</code>
        <span class="help">{resultOf(output)}</span>
        {ms !== undefined && <span class="help tool-time">{formatMs(ms)}</span>}
      </summary>
      <JsonBlock label={t("Arguments of {name}", { name })} value={args} />
      {output !== undefined && <JsonBlock label={t("Result of {name}", { name })} value={output} />}
    </details>
  );
}

function resultOf(output: unknown): string {
  if (output === undefined) return t("Didn't return");
  return typeof output === "object" && output !== null && "error" in output
    ? t("Failed")
    : t("Done");
}

function JsonBlock({ label, value }: { label: string; value: unknown }) {
  return (
    <>
      <p class="help">{label}</p>
      <pre class="json" role="region" aria-label={label} tabIndex={0}>{formatJson(value)}</pre>
    </>
  );
}

import { conversationsHref } from "@/lib/dashboard/conversation_filters.ts";
import { formatCount, formatUsd } from "@/lib/dashboard/format_amount.ts";
import { sourceLabel } from "@/lib/dashboard/source_labels.ts";
import type { Transcript } from "@/lib/schemas/conversation.ts";
import type { Fact } from "@/lib/schemas/memory.ts";
import CopyButton from "@/islands/CopyButton.tsx";
import { DescriptionList } from "../DescriptionList.tsx";
import { Moment, Time } from "../Time.tsx";
import { VisitorFacts } from "./VisitorFacts.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The facts of a conversation beside its transcript. */
export function ConversationFacts(
  { transcript, agent, facts, deleteFactsHref, sealedExportHref, now }: {
    transcript: Transcript;
    agent: string | undefined;
    /** What the agent remembers about the visitor. */
    facts: readonly Fact[];
    /** Absent for viewers. */
    deleteFactsHref: string | undefined;
    sealedExportHref: string;
    now: number;
  },
) {
  const { runs } = transcript;
  const isStored = transcript.runCount > 0;
  const versions = [...new Set(runs.map(({ agentVersion }) => agentVersion))];
  const models = [...new Set(runs.map(({ model }) => model))];
  return (
    <aside class="inbox-side card" aria-label={t("Details")}>
      <DescriptionList
        class="side-facts"
        of={{
          [t("Agent")]: agent && <a href={`/agents/${transcript.agentId}`}>{agent}</a>,
          [t("Version")]: versions.length > 0 && versions.join(", "),
          [t("Model")]: models.length > 0 && models.join(", "),
          [t("Source")]: sourceLabel(transcript.source),
          [t("Page")]: transcript.origin,
          [t("Visitor")]: transcript.visitorId,
          [t("Started")]: <Moment at={transcript.createdAt} />,
          [t("Last activity")]: <Time at={transcript.updatedAt} now={now} />,
          [t("Deleted on")]: isStored && <Moment at={transcript.expiresAt} />,
          [t("Runs")]: isStored && formatCount(transcript.runCount),
          [t("Cost")]: isStored && formatUsd(transcript.costUsd),
        }}
      />
      <VisitorFacts facts={facts} deleteHref={deleteFactsHref} now={now} />
      <p class="side-actions">
        <CopyButton text={transcript.id} what={t("conversation ID")} label={t("Copy ID")} />
        {isStored && (
          <a href={sealedExportHref} aria-current="false" download>
            {t("Download with proof of what was said")}
          </a>
        )}
        <a href={conversationsHref({ agentId: transcript.agentId })} aria-current="false">
          {t("All conversations of this agent")}
        </a>
      </p>
    </aside>
  );
}

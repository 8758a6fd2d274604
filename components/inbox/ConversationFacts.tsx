import { conversationsHref } from "@/lib/dashboard/conversation_filters.ts";
import { formatCount, formatUsd } from "@/lib/dashboard/format_amount.ts";
import { sourceLabel } from "@/lib/dashboard/source_labels.ts";
import type { Transcript } from "@/lib/schemas/conversation.ts";
import CopyButton from "@/islands/CopyButton.tsx";
import { DescriptionList } from "../DescriptionList.tsx";
import { Moment, Time } from "../Time.tsx";

/** The facts of a conversation beside its transcript. */
export function ConversationFacts(
  { transcript, agent, now }: { transcript: Transcript; agent: string | undefined; now: number },
) {
  const { runs } = transcript;
  const isStored = transcript.runCount > 0;
  const versions = [...new Set(runs.map(({ agentVersion }) => agentVersion))];
  const models = [...new Set(runs.map(({ model }) => model))];
  return (
    <aside class="inbox-side card" aria-label="Facts">
      <DescriptionList
        class="side-facts"
        of={{
          "Agent": agent && <a href={`/agents/${transcript.agentId}`}>{agent}</a>,
          "Version": versions.length > 0 && versions.join(", "),
          "Model": models.length > 0 && models.join(", "),
          "Source": sourceLabel(transcript.source),
          "Page": transcript.origin,
          "Started": <Moment at={transcript.createdAt} />,
          "Last activity": <Time at={transcript.updatedAt} now={now} />,
          "Deleted on": isStored && <Moment at={transcript.expiresAt} />,
          "Runs": isStored && formatCount(transcript.runCount),
          "Cost": isStored && formatUsd(transcript.costUsd),
        }}
      />
      <p class="side-actions">
        <CopyButton text={transcript.id} what="conversation ID" label="Copy ID" />
        <a href={conversationsHref({ agentId: transcript.agentId })} aria-current="false">
          All conversations of this agent
        </a>
      </p>
    </aside>
  );
}

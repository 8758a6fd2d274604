import type { DiffLine, FieldDiff } from "@/lib/dashboard/agents/agent_diff.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const MARKS = { same: " ", gone: "−", new: "+" };
const SPOKEN_MARKS = { same: "", gone: msg("Removed: "), new: msg("Added: ") };

/** The differences between two versions by field, marked with signs and text, not only color. */
export function VersionDiff({ diff }: { diff: FieldDiff[] }) {
  return (
    <>
      {diff.map(({ label, lines }) => (
        <section key={label} class="diff">
          <h3>{label}</h3>
          <div
            class="diff-lines"
            tabIndex={0}
            role="region"
            aria-label={t("Changes of {label}", { label })}
          >
            {lines.map((line, n) => <Line key={n} line={line} />)}
          </div>
        </section>
      ))}
    </>
  );
}

function Line({ line }: { line: DiffLine }) {
  if (line.kind === "gap") return <p class="diff-gap">…</p>;
  return (
    <p class={`diff-line diff-${line.kind}`}>
      <span aria-hidden="true">{MARKS[line.kind]}</span>
      <span class="sr-only">{SPOKEN_MARKS[line.kind]}</span>
      <code>{line.text}</code>
    </p>
  );
}

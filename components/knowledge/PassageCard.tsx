import type { FoundPassage } from "@/lib/knowledge/search/knowledge_search.ts";

export interface PassageCardProps {
  passage: FoundPassage;
  /** The highest score of its search. */
  best: number;
  /** An agent that does not ask for more is given it. */
  given: boolean;
}

/** A passage that was found: where it stands, how well it fits, and which words made it fit. */
export function PassageCard({ passage, best, given }: PassageCardProps) {
  const { title, headingPath, position, score, text, matches = [] } = passage;
  const words = matchedWords(text, matches);
  return (
    <li class={given ? "card passage" : "card passage passage-beyond"}>
      <div class="passage-head">
        <h2>
          <bdi>{[title, ...headingPath].join(" › ")}</bdi>
        </h2>
        <p class="passage-score">
          <meter min={0} max={best} value={score} aria-label="Score beside the best" />
          <span>Score {score.toPrecision(3)}</span>
        </p>
      </div>
      <p class="help">
        Passage {position + 1}. {words.length > 0
          ? (
            <>
              Its words that were asked for: <bdi>{words.join(", ")}</bdi>.
            </>
          )
          : "None of the words stands in it: they stand in its headings, or it fits by its meaning."}
        {!given && " An agent is given it only when it asks for more."}
      </p>
      <p class="passage-text" dir="auto">{marked(text, matches)}</p>
    </li>
  );
}

/** The words that made a passage fit, each once, in their order. */
function matchedWords(text: string, matches: readonly [number, number][]): string[] {
  return [...new Set(matches.map(([from, to]) => text.slice(from, to).toLowerCase()))];
}

function marked(text: string, matches: readonly [number, number][]) {
  const parts = matches.flatMap(([from, to], n) => [
    text.slice(matches[n - 1]?.[1] ?? 0, from),
    <mark key={from}>{text.slice(from, to)}</mark>,
  ]);
  return [...parts, text.slice(matches.at(-1)?.[1] ?? 0)];
}

import type { FoundPassage } from "@/lib/knowledge/search/knowledge_search.ts";
import { passagePath } from "@/lib/dashboard/knowledge/passage_path.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export interface PassageCardProps {
  /** The id of the knowledge base. */
  base: string;
  passage: FoundPassage;
  /** The highest score of the search. */
  best: number;
  /** Within the number of passages that an agent gets by default. */
  given: boolean;
}

/** A search result: its location, score and matching words. */
export function PassageCard({ base, passage, best, given }: PassageCardProps) {
  const { title, headingPath, position, score, text, matches = [] } = passage;
  const words = matchedWords(text, matches);
  return (
    <li class={given ? "card passage" : "card passage passage-beyond"}>
      <div class="passage-head">
        <h2>
          <a href={passagePath(base, passage)} aria-current="false">
            <bdi>{[title, ...headingPath].join(" › ")}</bdi>
          </a>
        </h2>
        <p class="passage-score">
          <meter min={0} max={best} value={score} aria-label={t("Score relative to the best")} />
          <span>{t("Score {score}", { score: score.toPrecision(3) })}</span>
        </p>
      </div>
      <p class="help">
        {t("Passage {number}.", { number: position + 1 })} {words.length > 0
          ? rich("Matching words: {words}.", { words: <bdi>{words.join(", ")}</bdi> })
          : t("No words match in the text: this passage matches by its headings or its meaning.")}
        {!given && <>{t("Agents only get this passage if they ask for more.")}</>}
      </p>
      <p class="passage-text" dir="auto">{marked(text, matches)}</p>
    </li>
  );
}

/** The matching words, each once, in order. */
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

import type { Source } from "../../state.ts";

export interface SourceListProps {
  readonly label: string;
  readonly sources: readonly Source[];
}

const SCHEME = /^https?:\/\//;

/** Numbered titles. Pressing one shows what its document says, and its link if it is a web address. */
export function SourceList({ label, sources }: SourceListProps) {
  return (
    <div class="sources" part="sources">
      {label}
      {sources.map(({ title, text, url = "" }, at) => {
        const name = `${at + 1}. ${title.replace(SCHEME, "")}`;
        const link = (inside: string) =>
          SCHEME.test(url) && (
            <a href={url} target="_blank" rel="noopener noreferrer nofollow">{inside}</a>
          );
        return text
          ? (
            <details key={url}>
              <summary dir="auto">{name}</summary>
              <p dir="auto">{text}</p>
              {link(url)}
            </details>
          )
          : <span key={url} dir="auto">{link(name) || name}</span>;
      })}
    </div>
  );
}

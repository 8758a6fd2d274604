import type { Source } from "../../state.ts";

export interface SourceListProps {
  readonly label: string;
  readonly sources: readonly Source[];
}

/** Numbered titles. Pressing one shows what its document says, and its link if it is a web address. */
export function SourceList({ label, sources }: SourceListProps) {
  return (
    <div class="sources" part="sources">
      {label}
      {sources.map(({ title, text }, at) => {
        const [, address] = /^https?:\/\/(.+)/.exec(title) ?? [];
        const name = `${at + 1}. ${address ?? title}`;
        const link = (inside: string) => (
          <a href={title} target="_blank" rel="noopener noreferrer nofollow">{inside}</a>
        );
        return text
          ? (
            <details key={title}>
              <summary dir="auto">{name}</summary>
              <p dir="auto">{text}</p>
              {address && link(title)}
            </details>
          )
          : <span key={title} dir="auto">{address ? link(name) : name}</span>;
      })}
    </div>
  );
}

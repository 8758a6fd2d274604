import type { Source } from "../../state.ts";

export interface SourceListProps {
  readonly label: string;
  readonly sources: readonly Source[];
}

/** Numbered titles. Pressing one shows what its document says, and its link if it is a web address. */
export function SourceList({ label, sources }: SourceListProps) {
  return (
    <div class="sources" part="sources" role="group" aria-label={label}>
      <span aria-hidden="true">{label}</span>
      {sources.map(({ title, text }, at) => {
        const name = <bdi>{`${at + 1}. ${title}`}</bdi>;
        const link = (inside: typeof name) =>
          /^https?:/.test(title)
            ? <a href={title} target="_blank" rel="noopener noreferrer nofollow">{inside}</a>
            : inside;
        if (!text) return <span key={title} class="source">{link(name)}</span>;
        return (
          <details key={title} class="source">
            <summary>{name}</summary>
            <p dir="auto">{text}</p>
            {link(<bdi>{title}</bdi>)}
          </details>
        );
      })}
    </div>
  );
}

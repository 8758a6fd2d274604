/** Leads to the parts of a list beside the one that is shown; nothing where there is one only. */
export function Pagination({ previous, next }: { previous?: string; next?: string }) {
  if (previous === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {previous && <a class="button" href={previous} aria-current="false">Previous</a>}
      {next && <a class="button" href={next} aria-current="false">Next</a>}
    </nav>
  );
}

/** Links to the previous and next page of a list. */
export function Pagination({ previous, next }: { previous?: string; next?: string }) {
  if (previous === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {previous && <a class="button" href={previous} aria-current="false">Previous</a>}
      {next && <a class="button" href={next} aria-current="false">Next</a>}
    </nav>
  );
}

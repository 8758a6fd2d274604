/** A day among the filters of a list. */
export function FilterDay(
  { name, label, value }: { name: string; label: string; value: string },
) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <input type="date" id={`filter-${name}`} name={name} value={value} />
    </div>
  );
}

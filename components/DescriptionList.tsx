import type { ComponentChildren } from "preact";

/** Labeled values, as many as fit on a line. Entries without a value are left out. */
export function DescriptionList(
  { of, class: name = "figures" }: {
    of: Readonly<Record<string, ComponentChildren>>;
    class?: string;
  },
) {
  const known = Object.entries(of).filter(([, value]) => value !== undefined && value !== false);
  return (
    <dl class={name}>
      {known.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon.tsx";

/** Shown for an empty list: what it is for, and the first action. */
export function EmptyState(
  props: { icon: IconName; title: string; text: string; children?: ComponentChildren },
) {
  return (
    <section class="empty">
      <span class="empty-icon">
        <Icon name={props.icon} />
      </span>
      <h2>{props.title}</h2>
      <p>{props.text}</p>
      {props.children}
    </section>
  );
}

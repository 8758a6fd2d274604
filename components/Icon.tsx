/** Outlines on a 20 px grid, drawn with the colour of the text around them. */
const PATHS = {
  agents: "M4.5 4h11A1.5 1.5 0 0 1 17 5.5v6a1.5 1.5 0 0 1-1.5 1.5H10l-4 3.5V13H4.5" +
    "A1.5 1.5 0 0 1 3 11.5v-6A1.5 1.5 0 0 1 4.5 4Z M7.5 8.5h.01 M12.5 8.5h.01",
  home: "M3.5 9 10 3.5 16.5 9v7.5h-4.5v-4.5H8v4.5H3.5V9Z",
  conversations: "M3.5 4.5h9v6.5H8L5.5 13v-2h-2v-6.5Z M12.5 8h4v6h-1.5v2l-2.5-2H9v-3",
  usage: "M4 16.5v-5 M8 16.5v-9 M12 16.5v-6.5 M16 16.5V4",
  knowledge: "M10 5.5C8.5 4.4 6.4 4 3.5 4v11c2.9 0 5 .4 6.5 1.5 1.5-1.1 3.6-1.5 6.5-1.5V4" +
    "c-2.9 0-5 .4-6.5 1.5Z M10 5.5v11",
  unanswered:
    "M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z M8 8a2 2 0 1 1 2.6 2c-.4.2-.6.5-.6 1 " +
    "M10 13.5h.01",
  test_sets: "M4.5 5.5 6 7l2.5-3 M4.5 11.5 6 13l2.5-3 M11 5.5h5 M11 11.5h5 M4.5 16.5h11.5",
  key:
    "M7 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Z M9.5 10.5 16.5 3.5 M14 6l2 2 M11.5 8.5l1.5 1.5",
  plus: "M10 4.5v11 M4.5 10h11",
  copy: "M7.5 7.5h8v8h-8z M4.5 12.5v-8h8",
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  back: "M11.5 4.5 6 10l5.5 5.5",
  warning: "M10 3.5 17.5 16h-15L10 3.5Z M10 8.5v3.5 M10 14h.01",
  audit: "M5.5 3.5h9v13h-9z M8 7.5h4 M8 10.5h4 M8 13.5h2",
  team: "M7.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z M2.5 15.5a5 4.2 0 0 1 10 0 " +
    "M13 5a2.5 2.5 0 0 1 0 4.4 M14.2 11.6a5 4.2 0 0 1 3.3 3.9",
  settings: "M3.5 6.5h7 M14.5 6.5h2 M12.5 4.5v4 M3.5 13.5h2 M9.5 13.5h7 M7.5 11.5v4",
  tenants: "M4.5 16.5v-12h7v12 M11.5 8.5h4v8 M3 16.5h14 M7 7.5h2 M7 10.5h2 M7 13.5h2",
  models: "M4.5 5.5h11 M4.5 10h11 M4.5 14.5h11",
  providers: "M4 4.5h12v4H4z M4 11.5h12v4H4z M6.5 6.5h.01 M6.5 13.5h.01",
  status: "M3 10.5h3.5l2-5 3 9 2-4H17",
  user: "M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z M4.5 16.5a5.5 4.5 0 0 1 11 0",
};

export type IconName = keyof typeof PATHS;

/** A decorative icon next to a label, hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

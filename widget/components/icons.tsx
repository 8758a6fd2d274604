/** A decorative icon on a 24-pixel grid in the current color; buttons carry their own labels. */
function icon(path: string, solid?: boolean) {
  return () => (
    <svg class={solid ? "icon solid" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** A speech bubble with a long and a short line cut out of it. */
export const BubbleIcon = icon(
  "M10 3.5h4a7.5 7.5 0 0 1 7.5 7.5v9.5H10A7.5 7.5 0 0 1 10 3.5M8 9.2V11h8V9.2m-8 4V15h5v-1.8",
  true,
);
export const ChevronIcon = icon("m6 9.5 6 6 6-6");
export const CloseIcon = icon("m6.5 6.5 11 11m0-11-11 11");
export const ComposeIcon = icon("M11 5H5v14h14v-6M10 14l9-9");
export const SendIcon = icon("M12 19V5.5M6.5 11 12 5.5l5.5 5.5");
export const StopIcon = icon("M6 6h12v12H6z", true);
export const MoreIcon = icon("M12 5.5v13M5.5 12h13");
export const ArrowDownIcon = icon("M12 5v13.5M6.5 13l5.5 5.5 5.5-5.5");

/**
 * What a write to a run says when it takes stored segments away or puts some together: nobody may have done either since the run was read.
 * @param layout of the run as it was read
 */
export const rearranging = (layout: number) => ({
  update: "layout = :nextLayout",
  // Runs that were begun before there was a number have none.
  condition: layout === 0 ? "(attribute_not_exists(layout) OR layout = :layout)" : "layout = :layout",
  values: { ":layout": layout, ":nextLayout": layout + 1 },
});

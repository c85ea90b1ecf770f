/** The tabs of a flow, as its address names them. */
export const flowTabs = ['editor', 'versions', 'settings'] as const;
export type FlowTab = (typeof flowTabs)[number];

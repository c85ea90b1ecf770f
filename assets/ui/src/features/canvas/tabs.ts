import type { FlowType } from '../../api/models';

/** The tabs of a flow, as its address names them. */
export const flowTabs = ['editor', 'runs', 'versions', 'settings'] as const;
export type FlowTab = (typeof flowTabs)[number];

/** The tabs that flows of a type have: runs of their own have pipelines alone. */
export const tabsOf = (type: FlowType): readonly FlowTab[] =>
  type === 'ETL' ? flowTabs : flowTabs.filter((tab) => tab !== 'runs');

import { Tabs as Primitive, ToggleGroup } from 'radix-ui';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import css from './Tabs.module.css';
import { cx } from './cx';

export interface Tab<Value extends string = string> {
  value: Value;
  label: string;
  count?: number;
  icon?: LucideIcon;
}

export interface TabsProps<Value extends string = string> {
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly Tab<Value>[];
  /** What the tabs choose between, for screen readers. */
  label: string;
  /** The panel of the chosen tab. */
  children?: ReactNode;
  className?: string;
  panelClassName?: string;
}

export function Tabs<Value extends string>(props: TabsProps<Value>): ReactNode {
  const { value, onChange, tabs, label, children, className, panelClassName } = props;
  return (
    <Primitive.Root value={value} onValueChange={(next) => onChange(next as Value)} className={className}>
      <Primitive.List className={css.list} aria-label={label}>
        {tabs.map((tab) => (
          <Primitive.Trigger key={tab.value} value={tab.value} className={css.tab}>
            {tab.icon && <tab.icon size={15} aria-hidden />}
            {tab.label}
            {tab.count !== undefined && <span className={css.count}>{tab.count}</span>}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content
          key={tab.value}
          value={tab.value}
          className={cx(css.panel, panelClassName)}
          tabIndex={-1}
          forceMount={undefined}
        >
          {tab.value === value && children}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}

export interface SegmentsProps<Value extends string = string> {
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: string; icon?: LucideIcon; iconOnly?: boolean }[];
  label: string;
}

/** A small choice of two or three that changes how something is shown. */
export function Segments<Value extends string>(props: SegmentsProps<Value>): ReactNode {
  const { value, onChange, options, label } = props;
  return (
    <ToggleGroup.Root
      type="single"
      className={css.segments}
      value={value}
      onValueChange={(next) => next && onChange(next as Value)}
      aria-label={label}
    >
      {options.map(({ value: of, label: text, icon: Icon, iconOnly }) => (
        <ToggleGroup.Item
          key={of}
          value={of}
          className={css.segment}
          aria-label={iconOnly ? text : undefined}
        >
          {Icon && <Icon size={15} aria-hidden />}
          {!iconOnly && text}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

import { lazy, Suspense, type ReactNode } from 'react';
import { loadPart } from '../core/parts';
import type { CodeEditorProps } from './CodeEditor';
import css from './CodeField.module.css';
import { cx } from './cx';
import { useField, useFieldLabel } from './Field';
import { Skeleton } from './States';

const CodeEditor = lazy(() => loadPart(() => import('./CodeEditor')));

export type CodeFieldProps = Omit<CodeEditorProps, 'labelledBy' | 'describedBy' | 'invalid'>;

/** Code or JSON; the editor itself is loaded when the first one appears. */
export function CodeField(props: CodeFieldProps): ReactNode {
  const field = useField();
  const labelledBy = useFieldLabel();
  return (
    <div className={cx(css.field, props.fill && css.filled)} data-invalid={field['aria-invalid']}>
      <Suspense fallback={<Skeleton lines={3} className={css.waiting} />}>
        <CodeEditor
          {...props}
          labelledBy={labelledBy}
          describedBy={field['aria-describedby']}
          invalid={field['aria-invalid']}
        />
      </Suspense>
    </div>
  );
}

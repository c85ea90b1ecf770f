/** A screen gets the parts of its address: `/flows/:id` gives `params.id`. */
export interface ScreenProps {
  params: Record<string, string | undefined>;
}

package dev.patchbay.agent.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/// The known word that somebody may have meant.
final class Nearest {
  private Nearest() {}

  /// The nearest of these words, when it is near enough to be meant: half of its letters may
  /// differ, capitals and underscores never count.
  static Optional<String> to(String word, Collection<String> known) {
    String plain = plain(word);
    return known.stream()
        .filter(each -> distance(plain, plain(each)) <= Math.max(1, each.length() / 2))
        .min(
            Comparator.<String>comparingInt(each -> distance(plain, plain(each)))
                .thenComparing(Comparator.naturalOrder()));
  }

  /// `mountPath`, `mount_path` and `mount-path` are the same word.
  private static String plain(String word) {
    return word.replaceAll("([a-z])([A-Z])", "$1-$2")
        .replace('_', '-')
        .toLowerCase(java.util.Locale.ROOT);
  }

  /// How many letters have to be put in, taken out, replaced or swapped with their neighbour
  /// (Damerau's distance, restricted).
  private static int distance(String a, String b) {
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) cost[i][0] = i;
    for (int j = 0; j <= b.length(); j++) cost[0][j] = j;
    for (int i = 1; i <= a.length(); i++)
      for (int j = 1; j <= b.length(); j++) {
        int replaced = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        cost[i][j] = Math.min(replaced, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    return cost[a.length()][b.length()];
  }
}

package dev.patchbay.rpc.hpack;

import java.util.List;
import java.util.stream.Stream;

/// What an index of a header block stands for: first the 61 entries that RFC 7541, appendix A,
/// fixes, then those that the peer added, the newest first.
final class HeaderTable {
  /// The fixed entries, in their order, from 1: name, or name and value.
  static final List<Header> FIXED =
      Stream.of(
              (":authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https"
                      + "|:status=200|:status=204|:status=206|:status=304|:status=400|:status=404|:status=500"
                      + "|accept-charset|accept-encoding=gzip, deflate|accept-language|accept-ranges|accept"
                      + "|access-control-allow-origin|age|allow|authorization|cache-control|content-disposition"
                      + "|content-encoding|content-language|content-length|content-location|content-range"
                      + "|content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since"
                      + "|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards"
                      + "|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server"
                      + "|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via"
                      + "|www-authenticate")
                  .split("\\|"))
          .map(HeaderTable::fixed)
          .toList();

  /// The index of the fixed entry with this name and value, or 0.
  static int indexOf(String name, String value) {
    for (int i = 0; i < FIXED.size(); i++) {
      Header header = FIXED.get(i);
      if (header.name().equals(name) && header.value().equals(value)) return i + 1;
    }
    return 0;
  }

  /// The index of the first fixed entry with this name, or 0.
  static int indexOf(String name) {
    for (int i = 0; i < FIXED.size(); i++) if (FIXED.get(i).name().equals(name)) return i + 1;
    return 0;
  }

  private final Header[] added;
  private int newest;
  private int count;
  private int size;
  private int limit;

  /// @param limit the largest size, in the measure of [Header#size]
  HeaderTable(int limit) {
    added = new Header[limit / 32];
    this.limit = limit;
  }

  private static Header fixed(String text) {
    int equals = text.indexOf('=');
    return equals < 0
        ? new Header(text, "")
        : new Header(text.substring(0, equals), text.substring(equals + 1));
  }

  /// The entry with this index.
  Header get(int index) throws HpackException {
    if (index >= 1 && index <= FIXED.size()) return FIXED.get(index - 1);
    int back = index - FIXED.size() - 1;
    if (index < 1 || back >= count)
      throw new HpackException("no header has the index " + Integer.toUnsignedString(index));
    return added[Math.floorMod(newest - back, added.length)];
  }

  /// Adds an entry; older ones go until it fits. One that is larger than the table empties it.
  void add(Header header) {
    shrinkTo(limit - header.size());
    if (header.size() > limit) return;
    newest = (newest + 1) % added.length;
    added[newest] = header;
    count++;
    size += header.size();
  }

  /// Changes the largest size.
  ///
  /// @param newLimit at most that of the constructor
  void limit(int newLimit) {
    limit = newLimit;
    shrinkTo(newLimit);
  }

  private void shrinkTo(int most) {
    while (count > 0 && size > most) {
      int oldest = Math.floorMod(newest - count + 1, added.length);
      size -= added[oldest].size();
      count--;
    }
  }
}

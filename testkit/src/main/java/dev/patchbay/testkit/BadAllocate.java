package dev.patchbay.testkit;

import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;

/// Requests that a plugin has to refuse, made from a device that it has.
enum BadAllocate {
  AN_UNKNOWN_ID {
    @Override
    AllocateRequest request(String good) {
      return AllocateRequests.naming("no-such-device-here");
    }
  },
  AN_UNKNOWN_ID_AFTER_A_KNOWN_ONE {
    @Override
    AllocateRequest request(String good) {
      return AllocateRequests.naming(good, "no-such-device-here");
    }
  },
  AN_ID_TWICE {
    @Override
    AllocateRequest request(String good) {
      return AllocateRequests.naming(good, good);
    }
  },
  AN_EMPTY_ID {
    @Override
    AllocateRequest request(String good) {
      return AllocateRequests.naming(good, "");
    }
  },
  NO_ID {
    @Override
    AllocateRequest request(String good) {
      return AllocateRequests.naming();
    }
  },
  NO_CONTAINER {
    @Override
    AllocateRequest request(String good) {
      return AllocateRequest.getDefaultInstance();
    }
  };

  abstract AllocateRequest request(String good);
}
